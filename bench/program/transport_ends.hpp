#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/program/end_link.hpp"

namespace troupe::bench {

/// One of two processes that send each other messages of one length, in turn.
class TransportEnd {
 public:
  TransportEnd() = default;
  TransportEnd(const TransportEnd&) = delete;
  TransportEnd& operator=(const TransportEnd&) = delete;
  virtual ~TransportEnd() = default;

  virtual void send(std::span<const std::uint32_t> words) = 0;
  /// The next message, where it came to lie; until the next `send`.
  virtual std::span<const std::uint32_t> receive() = 0;
};

/// Over memory of an object store: the sender copies the message there, and there it is read.
/// @param store of the first end, which makes the objects. @param number another one for each pair of ends
std::unique_ptr<TransportEnd> make_shared_memory_end(EndLink& link, std::shared_ptr<StoreClient> store, bool first,
                                                     std::uint64_t number, std::size_t words);

/// Over the data plane, from memory of the sender into that of the receiver, by mutual TLS on loopback.
/// @param certificates a folder as `Certificates` makes it
std::unique_ptr<TransportEnd> make_data_plane_end(EndLink& link, const std::string& certificates, bool first,
                                                  std::size_t words);

}  // namespace troupe::bench
