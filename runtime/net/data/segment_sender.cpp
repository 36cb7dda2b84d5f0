#include "runtime/net/data/segment_sender.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Bytes that are copied behind their header in less time than a record of its own takes.
constexpr std::size_t kSmall = 4096;

}  // namespace

void SegmentSender::add(std::unique_ptr<ByteStream> stream) {
  auto lane = std::make_unique<Lane>();
  lane->stream = std::move(stream);
  const std::lock_guard lock(mutex_);
  if (!ended_.empty()) throw Error(ErrorCode::worker_lost, ended_, {.node = name_});
  lanes_.push_back(std::move(lane));
}

SegmentSender::Lane& SegmentSender::take(const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!ended_.empty()) throw Error(ErrorCode::worker_lost, ended_, {.node = name_});
    if (lanes_.empty()) throw Error(ErrorCode::worker_lost, "there is no connection to it", {.node = name_});
    const auto found = std::find_if(lanes_.begin(), lanes_.end(), [](const auto& lane) { return !lane->busy; });
    if (found != lanes_.end()) {
      (*found)->busy = true;
      return **found;
    }
    if (deadline.passed())
      throw Error(ErrorCode::timeout, "what was sent before did not leave in time", {.node = name_});
    free_.wait_until(lock, deadline.at());
  }
}

void SegmentSender::give_back(Lane& lane) {
  {
    const std::lock_guard lock(mutex_);
    lane.busy = false;
  }
  free_.notify_one();
}

void SegmentSender::write(Lane& lane, const FrameHeader& header, std::span<const std::byte> bytes,
                          const Deadline& deadline) {
  if (bytes.size() <= kSmall) {
    std::array<std::byte, kFrameHeaderBytes + kSmall> both;
    const auto head = encode(header);
    const auto end = std::copy(bytes.begin(), bytes.end(), std::copy(head.begin(), head.end(), both.begin()));
    return lane.stream->write_all(std::span(both.begin(), end), deadline);
  }
  // The header is a record of its own, so that full ones follow, and nothing is copied to share one with it.
  lane.stream->write_all(encode(header), deadline, !bytes.empty());
  lane.stream->write_all(bytes, deadline);
}

void SegmentSender::send(const FrameHeader& header, std::span<const std::byte> bytes, const Deadline& deadline) {
  Lane& lane = take(deadline);
  try {
    write(lane, header, bytes, deadline);
  } catch (const Error& error) {
    // Half a segment may have left.
    end(error.message());
    give_back(lane);
    throw Error(error.code() == ErrorCode::timeout ? ErrorCode::timeout : ErrorCode::worker_lost, error.message(),
                {.node = name_});
  }
  give_back(lane);
}

void SegmentSender::end(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (ended_.empty()) ended_ = why;
  for (const auto& lane : lanes_) ::shutdown(lane->stream->fd(), SHUT_RDWR);
  free_.notify_all();
}

}  // namespace troupe
