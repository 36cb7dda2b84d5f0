#include "actors/functions/outbox.hpp"

#include <algorithm>
#include <utility>

namespace troupe {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

}  // namespace

void Outbox::say(FrameKind kind, const std::string& bytes) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return closed_ || bytes_.size() - begin_ < kMostWaiting; });
  if (closed_) return;
  const std::uint64_t length = bytes.size();
  bytes_ += static_cast<char>(kind);
  bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes_ += bytes;
  heard_ = false;
  answer(std::move(lock));
}

void Outbox::await_heard() {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return closed_ || heard_; });
}

void Outbox::end(const Failure& failure, int blamed) {
  std::unique_lock lock(mutex_);
  failure_ = failure;
  blamed_ = blamed;
  ended_ = true;
  answer(std::move(lock));
}

void Outbox::listen(std::uint64_t round, Tell tell) {
  std::unique_lock lock(mutex_);
  round_ = round;
  tell_ = std::move(tell);
  if (bytes_.size() == begin_) {
    heard_ = true;
    taken_.notify_all();
  }
  answer(std::move(lock));
}

void Outbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  taken_.notify_all();
}

void Outbox::answer(std::unique_lock<std::mutex> lock) {
  if (!tell_ || (begin_ == bytes_.size() && !ended_)) return;
  Heard heard;
  heard.round = round_;
  const std::size_t piece = std::min(kLongestSetting, bytes_.size() - begin_);
  heard.bytes = bytes_.substr(begin_, piece);
  begin_ += piece;
  if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  if (bytes_.empty()) {
    heard.ended = ended_;
    if (ended_) {
      heard.failure = failure_;
      heard.blamed = blamed_;
    }
  }
  const Tell tell = std::exchange(tell_, {});
  taken_.notify_all();
  lock.unlock();
  tell(std::move(heard));
}

}  // namespace troupe
