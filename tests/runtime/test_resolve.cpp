#include <dlfcn.h>
#include <doctest/doctest.h>
#include <netdb.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "runtime/net/resolve.hpp"
#include "runtime/net/socket.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// A name server that does not answer. Look-ups of kSilent block until `open` is called.
class SilentServer {
 public:
  static constexpr const char* kSilent = "silent.invalid";

  void hold() {
    std::unique_lock lock(mutex_);
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    --held_;
    changed_.notify_all();
  }
  void shut() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    std::unique_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
    REQUIRE(changed_.wait_for(lock, 60s, [this] { return held_ == 0; }));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int held_ = 0;
};

SilentServer& server() {
  static SilentServer made;
  return made;
}

const Address kNowhere{SilentServer::kSilent, 1};

}  // namespace

/// Replaces the C library's function in this program.
extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* wanted, addrinfo** found) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  const bool numeric = wanted != nullptr && (wanted->ai_flags & AI_NUMERICHOST) != 0;
  if (!numeric && host != nullptr && std::string(host) == SilentServer::kSilent) server().hold();
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"))(host, service, wanted, found);
}

TEST_CASE("a name that does not resolve fails at the deadline, and the error contains the name") {
  server().shut();
  const auto connect = [] { net::connect_to(kNowhere, Deadline(50ms)); };
  CHECK(code_of(connect) == ErrorCode::timeout);
  CHECK(message_of(connect) == "cannot find silent.invalid: the look-up of its name timed out");
  // Threads that wait for such a name do not add up.
  std::string said;
  for (int i = 0; i < 2 * net::kMostLookUps; ++i) said = message_of([] { net::connect_to(kNowhere, Deadline(1ms)); });
  CHECK(said == "cannot find silent.invalid: too many names are being looked up already");
  // Numeric addresses are not affected.
  CHECK(net::resolve({"127.0.0.1", 1}, 0, Deadline(0ms)) != nullptr);
  server().open();
  const Deadline deadline(60s);
  const auto again = [] { return message_of([] { net::connect_to(kNowhere, Deadline(60s)); }); };
  do said = again();
  while (said.find("too many") != std::string::npos && !deadline.passed());
  CHECK(said.find("cannot find silent.invalid: ") == 0);
  CHECK(said.find("in time") == std::string::npos);
}

TEST_CASE("numeric addresses are distinguished from names") {
  for (const char* host : {"127.0.0.1", "10.0.0.2", "::1", "fe80::1", "2001:db8::7"}) CHECK(net::is_numeric(host));
  for (const char* host : {"localhost", "a.b", "", "10.0.0.256", "::g", "10.0.0.2 "})
    CHECK_FALSE(net::is_numeric(host));
}

TEST_CASE("invalid host names are not looked up") {
  for (const std::string& host : {std::string("a\x1b[2Jb"), std::string(300, 'a'), std::string()}) {
    const auto connect = [&] { net::connect_to({host, 1}, Deadline(60s)); };
    CHECK(code_of(connect) == ErrorCode::system);
    CHECK(message_of(connect).find("this is not a host name") != std::string::npos);
    CHECK(message_of(connect).find('\x1b') == std::string::npos);
  }
}
