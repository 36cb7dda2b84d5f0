#include "runtime/http/whole_read.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/http/retries.hpp"

namespace troupe {
namespace {

class WholeRead final : public Transfer {
 public:
  WholeRead(std::string shown, std::function<HttpRequest()> request, std::size_t most)
      : shown_(std::move(shown)), request_(std::move(request)), most_(most) {}

  std::string wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
    if (failure_) throw Error(failure_->code, failure_->why, {.object = shown_});
    return std::move(text_);
  }

  HttpRequest request() override {
    text_.clear();
    retries_.begin();
    return request_();
  }
  bool take(const HttpResponse& response, std::span<const std::byte> bytes) override {
    if (response.status != 200) return false;
    too_long_ = bytes.size() > most_ - text_.size();
    if (!too_long_) text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return !too_long_;
  }
  std::optional<Clock::duration> end(const HttpResponse& response) override {
    if (response.status == 200 && response.failure.empty() && !too_long_) return finish(std::nullopt);
    const Retries::Decision decision =
        too_long_ ? Retries::Decision{{},
                                      ErrorCode::bad_file,
                                      "the answer is longer than " + std::to_string(most_) + " bytes"}
                  : retries_.after(response);
    if (decision.pause) return decision.pause;
    return finish(decision);
  }

 private:
  std::optional<Clock::duration> finish(std::optional<Retries::Decision> failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    ended_ = true;
    changed_.notify_all();
    return std::nullopt;
  }

  const std::string shown_;
  const std::function<HttpRequest()> request_;
  const std::size_t most_;
  Retries retries_;
  std::string text_;
  bool too_long_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::optional<Retries::Decision> failure_;
};

}  // namespace

std::string read_whole(const std::string& shown, const std::function<HttpRequest()>& request, std::size_t most) {
  const auto read = std::make_shared<WholeRead>(shown, request, most);
  Transfers::start(read, Urgency::now);
  return read->wait();
}

}  // namespace troupe
