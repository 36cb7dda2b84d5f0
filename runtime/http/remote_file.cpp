#include "runtime/http/remote_file.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "runtime/hash.hpp"
#include "runtime/http/content_range.hpp"
#include "runtime/http/retries.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The maximum number of bytes of one request, so that several connections share a long read.
constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;

/// The maximum size of an object. A larger number would be a lie, and sums of sizes could overflow.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

std::string version_in(const HttpResponse& response) {
  const std::string etag = response.header("etag");
  return etag.empty() ? response.header("last-modified") : etag;
}

}  // namespace

/// What the pieces of a read have in common.
class RemoteRead::State {
 public:
  class Piece;

  State(RemoteAddress from, std::uint64_t file_size, std::string file_version, std::uint64_t begin,
        std::span<std::byte> to)
      : address(std::move(from)), size(file_size), version(std::move(file_version)), offset(begin), out(to) {}

  /// Waits until all pieces have ended.
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return left == 0; });
    if (failure) throw Error(failure->code, failure->why, {.object = address.shown});
  }
  void cancel() {
    const std::lock_guard lock(mutex);
    cancelled = true;
  }

  const RemoteAddress address;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t size;   ///< of the whole object; 0: not known yet
  std::string version;  ///< of the object; empty if it is not known
  const std::uint64_t offset;
  std::span<std::byte> out;
  std::size_t left = 0;  ///< pieces that have not ended
  bool cancelled = false;
  /// Why the read has failed. Each thread that waits gets an exception of its own.
  struct Failure {
    ErrorCode code;
    std::string why;
  };
  std::optional<Failure> failure;
};

/// The bytes [begin, end) of an object.
class RemoteRead::State::Piece final : public Transfer {
 public:
  Piece(std::shared_ptr<State> of, std::uint64_t from, std::uint64_t to)
      : state_(std::move(of)), begin_(from), end_(to) {}

  HttpRequest request() override {
    checked_ = false;
    retries_.begin();
    return state_->address.request(begin_, end_);
  }

  bool take(const HttpResponse& response, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(state_->mutex);
    if (state_->cancelled || state_->failure) return false;
    if (response.status != 206 && response.status != 200) return false;
    if (!std::exchange(checked_, true)) check(response);
    if (!refusal_.empty()) return false;
    if (bytes.size() > end_ - begin_) {
      refusal_ = "the server sends more bytes than were requested";
      return false;
    }
    std::ranges::copy(bytes, state_->out.begin() + static_cast<std::ptrdiff_t>(begin_ - state_->offset));
    begin_ += bytes.size();
    retries_.progress();
    return true;
  }

  std::optional<Clock::duration> end(const HttpResponse& response) override {
    const std::lock_guard lock(state_->mutex);
    const bool over = state_->cancelled || state_->failure || begin_ == end_;
    if (over && refusal_.empty()) return ended();
    if (!refusal_.empty()) return ended(refusal_code_, refusal_);
    const Retries::Decision decision = retries_.after(response);
    return decision.pause ? decision.pause : ended(decision.code, decision.why);
  }

 private:
  /// Checks that an answer contains the requested bytes of the same object.
  void check(const HttpResponse& response) {
    const auto refuse = [&](ErrorCode code, const std::string& why) {
      refusal_code_ = code;
      refusal_ = why;
    };
    if (!response.header("content-encoding").empty() && response.header("content-encoding") != "identity")
      return refuse(ErrorCode::bad_file, "the server encodes the bytes");
    if (response.status == 200)
      return refuse(ErrorCode::unsupported,
                    "the server does not provide ranges of bytes, which are needed to read samples");
    const auto range = content_range_from(response.header("content-range"));
    if (!range || range->first != begin_ || range->last != end_ - 1 || range->total < end_ || range->total > kMostBytes)
      return refuse(ErrorCode::bad_file, "the server sends other bytes than requested (Content-Range: " +
                                             printable(response.header("content-range"), 100) + ")");
    const std::string now = version_in(response);
    if (state_->size == 0) {
      state_->size = range->total;
      state_->version = now;
    } else if (state_->size != range->total || state_->version != now) {
      refuse(ErrorCode::bad_file, "the object has changed since the run began");
    }
  }

  std::optional<Clock::duration> ended() {
    if (--state_->left == 0) state_->changed.notify_all();
    return std::nullopt;
  }
  std::optional<Clock::duration> ended(ErrorCode code, const std::string& why) {
    if (!state_->failure) state_->failure = {code, why};
    return ended();
  }

  const std::shared_ptr<State> state_;
  std::uint64_t begin_;  ///< the first byte that is missing
  const std::uint64_t end_;
  Retries retries_;
  bool checked_ = false;  ///< the headers of the present answer
  std::string refusal_;
  ErrorCode refusal_code_ = ErrorCode::bad_file;
};

RemoteRead::RemoteRead(const RemoteFile& file, std::uint64_t offset, std::span<std::byte> out, Urgency urgency)
    : state_(std::make_shared<State>(file.address(), file.size(), file.version(), offset, out)) {
  state_->left = (out.size() + kPiece - 1) / kPiece;
  try {
    for (std::uint64_t begin = 0; begin < out.size(); begin += kPiece)
      Transfers::start(std::make_shared<State::Piece>(state_, offset + begin,
                                                      offset + std::min<std::uint64_t>(begin + kPiece, out.size())),
                       urgency);
  } catch (...) {
    state_->cancel();  // some pieces may have started
    throw;
  }
}

RemoteRead::~RemoteRead() { state_->cancel(); }

void RemoteRead::wait() { state_->wait(); }

RemoteFile::RemoteFile(RemoteAddress address) : address_(std::move(address)) {
  std::array<std::byte, 1> first{};
  const auto state = std::make_shared<RemoteRead::State>(address_, 0, "", 0, first);
  state->left = 1;
  Transfers::start(std::make_shared<RemoteRead::State::Piece>(state, 0, 1), Urgency::now);
  state->wait();
  size_ = state->size;
  version_ = state->version;
}

std::int64_t RemoteFile::modified() const {
  if (!version_.starts_with('"')) return 0;
  return static_cast<std::int64_t>(checksum(std::as_bytes(std::span(version_))) >> 1U | 1U);
}

void RemoteFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) throw_bad_file(address_.shown, "truncated");
  RemoteRead(*this, offset, out, Urgency::now).wait();
}

void RemoteFile::check_unchanged() const {
  if (const RemoteFile now(address_); now.size() != size_ || now.version() != version_)
    throw_bad_file(address_.shown, "the object has changed since the run began");
}

}  // namespace troupe
