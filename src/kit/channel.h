// The bytes of one connection, without waiting: plain here, encrypted in kit/tls.h. Whoever uses it asks a
// loop or poll(2) when it may go on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace gpuwright::kit {

/// What became of an attempt.
struct Moved {
  enum class Kind {
    Bytes,       ///< `bytes` were read or written; a handshake is complete
    NeedsRead,   ///< try again when the descriptor can be read
    NeedsWrite,  ///< try again when it can be written
    Ended,       ///< the other side sends no more
    Failed,      ///< the connection is gone
  };
  Kind kind = Kind::Failed;
  std::size_t bytes = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Makes both sides ready. Again until it says Bytes.
  virtual Moved handshake() = 0;
  virtual Moved read(std::span<char> buffer) = 0;
  /// Writes what it can of the pieces, in order.
  virtual Moved write(std::span<const iovec> pieces) = 0;
  /// Whether read() would give bytes that the descriptor no longer tells of.
  virtual bool holds_bytes() const = 0;
  /// Says that we write no more.
  virtual void finish() = 0;
  virtual bool encrypted() const = 0;
  /// The common name in the other side's verified certificate; empty without one.
  virtual std::string peer_name() const = 0;
  /// Why it failed, where more is known than that the connection is gone.
  virtual std::string why() const = 0;
};

/// A TCP connection as it is. The descriptor is borrowed, and must not block.
std::unique_ptr<Channel> plain_channel(int fd);

}  // namespace gpuwright::kit
