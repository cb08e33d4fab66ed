// Server-sent events; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "kit/event_stream.h"

#include <algorithm>

namespace gpuwright::kit {

namespace {

void add_line(std::string& text, std::string_view field, std::string_view value) {
  text += field;
  text += ": ";
  for (const char c : value) text += c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
  text += '\n';
}

}  // namespace

std::string event_text(std::string_view name, std::string_view data, std::string_view id) {
  std::string text;
  text.reserve(data.size() + name.size() + id.size() + 32);
  if (!id.empty()) add_line(text, "id", id);
  if (!name.empty()) add_line(text, "event", name);
  for (;;) {
    const std::size_t end = data.find('\n');
    add_line(text, "data", data.substr(0, end));
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + 1);
  }
  text += '\n';
  return text;
}

void EventStream::push(std::string_view name, std::string_view data, std::string_view id) {
  if (clients_.empty()) return;
  const Text text = std::make_shared<const std::string>(event_text(name, data, id));
  for (Client* client : clients_) client->offer(text);
}

void EventStream::subscribe(Client* client) {
  clients_.push_back(client);
}

void EventStream::unsubscribe(Client* client) {
  clients_.erase(std::remove(clients_.begin(), clients_.end(), client), clients_.end());
}

}  // namespace gpuwright::kit
