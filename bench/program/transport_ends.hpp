#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/program/end_link.hpp"

namespace troupe::bench {

/// One end of a pair of processes that take turns to send each other messages of the same length.
class TransportEnd {
 public:
  TransportEnd() = default;
  TransportEnd(const TransportEnd&) = delete;
  TransportEnd& operator=(const TransportEnd&) = delete;
  virtual ~TransportEnd() = default;

  virtual void send(std::span<const std::uint32_t> words) = 0;
  /// Returns the next message without copying. The span is valid until the next call of `send`.
  virtual std::span<const std::uint32_t> receive() = 0;
};

/// Sends through memory of an object store. The sender copies the message into an object, and the receiver reads it
/// there.
/// @param store the store of the first end, which creates the objects
/// @param number a different number for each pair of ends
std::unique_ptr<TransportEnd> make_shared_memory_end(EndLink& link, std::shared_ptr<StoreClient> store, bool first,
                                                     std::uint64_t number, std::size_t words);

/// Sends over the data plane, from the sender's memory to the receiver's memory, with mutual TLS over loopback.
/// @param certificates the folder of a `Certificates` object
std::unique_ptr<TransportEnd> make_data_plane_end(EndLink& link, const std::string& certificates, bool first,
                                                  std::size_t words);

}  // namespace troupe::bench
