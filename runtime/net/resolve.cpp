#include "runtime/net/resolve.hpp"

#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "runtime/printable.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

constexpr std::size_t kLongestHost = 255;  // the longest name in DNS

struct Outcome {
  int error = 0;
  Resolved found{nullptr, &::freeaddrinfo};
};

Outcome look_up(const Address& address, int flags) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
  return {error, Resolved(found, &::freeaddrinfo)};
}

[[noreturn]] void fail(ErrorCode code, const Address& address, const std::string& why) {
  throw Error(code, "cannot find " + printable(address.host, kLongestHost) + ": " + why);
}

/// One of the `kMostLookUps` places for concurrent look-ups of names. The constructor takes a place. `taken` returns
/// false if all places were taken.
class Place {
 public:
  Place() : taken_(count().fetch_add(1) < kMostLookUps) {}
  ~Place() { count().fetch_sub(1); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  bool taken() const { return taken_; }

 private:
  // The number of taken places, for all threads of the process.
  static std::atomic<int>& count() {
    static std::atomic<int> count{0};
    return count;
  }
  bool taken_;
};

std::future<Outcome> begin_look_up(const Address& address, int flags) {
  auto place = std::make_shared<Place>();
  if (!place->taken()) fail(ErrorCode::system, address, "too many names are being looked up already");
  std::packaged_task<Outcome()> task([address, flags, place = std::move(place)] { return look_up(address, flags); });
  std::future<Outcome> outcome = task.get_future();
  const HeldSignals held;  // signals must be handled on the user's threads
  start_thread([task = std::make_shared<std::packaged_task<Outcome()>>(std::move(task))] { (*task)(); }).detach();
  return outcome;
}

}  // namespace

bool is_numeric(const std::string& host) { return look_up({host, 0}, AI_NUMERICHOST).error == 0; }

Resolved resolve(const Address& address, int flags, const Deadline& deadline) {
  if (address.host.empty() || address.host.size() > kLongestHost || !is_printable(address.host))
    fail(ErrorCode::system, address, "this is not a host name");
  Outcome outcome = look_up(address, flags | AI_NUMERICHOST);
  if (outcome.error != 0) {
    std::future<Outcome> coming = begin_look_up(address, flags);
    if (coming.wait_until(deadline.at()) != std::future_status::ready)
      fail(ErrorCode::timeout, address, "the look-up of its name timed out");
    outcome = coming.get();
  }
  if (outcome.error != 0) fail(ErrorCode::system, address, ::gai_strerror(outcome.error));
  return std::move(outcome.found);
}

}  // namespace troupe::net
