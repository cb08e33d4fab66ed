// Server-sent events: a page stays connected, and gets each text that is pushed. Who takes too little is
// dropped, so that nobody's slowness becomes our memory; a browser connects again by itself. Source: HTML,
// section 9.2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::kit {

/// One event as it is sent. Its data may have several lines; name and id are left out where empty, and line
/// ends in them become spaces.
std::string event_text(std::string_view name, std::string_view data, std::string_view id = {});

/// Where clients are subscribed. The owner pushes; the server brings them.
class EventStream {
 public:
  using Text = std::shared_ptr<const std::string>;

  /// One client. It unsubscribes itself, not from within offer().
  class Client {
   public:
    virtual ~Client() = default;
    /// Queues the text, or gives the client up where its queue is full.
    virtual void offer(const Text& text) = 0;
  };

  EventStream() = default;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Sends it to all clients; formatted once, shared by all.
  void push(std::string_view name, std::string_view data, std::string_view id = {});

  std::size_t clients() const { return clients_.size(); }

  void subscribe(Client* client);
  void unsubscribe(Client* client);

 private:
  std::vector<Client*> clients_;
};

}  // namespace gpuwright::kit
