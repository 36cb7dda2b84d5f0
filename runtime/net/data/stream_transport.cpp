#include "runtime/net/data/stream_transport.hpp"

#include <cstring>
#include <mutex>

#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr const char* kEnded = "the membership of the cluster ended";

}  // namespace

StreamTransport::StreamTransport(const std::vector<std::string>& names, int self, int threads,
                                 std::shared_ptr<net::RefusalLog> log)
    : self_(self), windows_(names), receiver_(windows_, names, threads, std::move(log)) {
  for (const std::string& name : names) senders_.push_back(std::make_unique<SegmentSender>(name));
}

StreamTransport::~StreamTransport() { end(); }

void StreamTransport::add_outgoing(int to, std::unique_ptr<ByteStream> stream) {
  senders_.at(static_cast<std::size_t>(to))->add(std::move(stream));
}

void StreamTransport::add_incoming(int from, std::unique_ptr<ByteStream> stream) {
  receiver_.add(from, std::move(stream));
}

void StreamTransport::end() {
  for (const auto& sender : senders_) sender->end(kEnded);
  receiver_.end();
  const std::unique_lock lock(copying_);
  ended_ = true;
  windows_.end(kEnded);
}

void StreamTransport::announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                               std::shared_ptr<const void> keep, SegmentLength length) {
  windows_.announce(window, from, bytes, segment_bytes, std::move(keep), length);
}

void StreamTransport::withdraw(WindowId window) { windows_.withdraw(window); }

void StreamTransport::send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                           std::span<const std::byte> bytes, const Deadline& deadline) {
  const FrameHeader header{window, segment, ticket, bytes.size()};
  if (to == self_) return copy_to_self(header, bytes);
  if (to < 0 || static_cast<std::size_t>(to) >= senders_.size())
    throw Error(ErrorCode::invalid_argument, "there is no node " + std::to_string(to));
  senders_[static_cast<std::size_t>(to)]->send(header, bytes, deadline);
}

void StreamTransport::copy_to_self(const FrameHeader& header, std::span<const std::byte> bytes) try {
  const std::shared_lock lock(copying_);
  if (ended_) throw Error(ErrorCode::worker_lost, kEnded);
  const WindowTable::Slot slot = windows_.claim(self_, header);
  std::memcpy(slot.bytes.data(), bytes.data(), bytes.size());
  windows_.arrived(slot);
} catch (const Error& error) {
  if (error.code() != ErrorCode::protocol) throw;
  throw Error(ErrorCode::invalid_argument, error.message());
}

void StreamTransport::wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) {
  windows_.wait(window, ticket, segment, deadline);
}

}  // namespace troupe
