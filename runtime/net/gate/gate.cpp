#include "runtime/net/gate/gate.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/log.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/processes/limits.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace asio = boost::asio;
namespace {

/// A caller: a peer that has opened a connection, whose handshake, hello and answer are not all finished.
struct Caller {
  Caller(asio::io_context& loop, FileDescriptor socket, const Address& peer, const Credentials& credentials,
         std::chrono::milliseconds timeout)
      : address(peer),
        source(source_of(peer.host)),
        readiness(loop, socket.get()),
        stream(std::move(socket), credentials),
        deadline(timeout) {}
  // `readiness` must not close the socket, because `stream` owns the socket and closes it.
  ~Caller() { readiness.release(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  enum class Stage : unsigned char { handshake, hello, answer };

  Address address;
  std::string source;
  asio::posix::stream_descriptor readiness;
  TlsStream stream;
  Deadline deadline;
  Stage stage = Stage::handshake;
  std::array<std::byte, kHelloBytes> bytes = {};
  std::size_t done = 0;  ///< number of bytes of the hello that have been read, or of the answer that have been written
  std::optional<Hello> hello = {};
  Verdict verdict = {};
  std::vector<std::byte> answer = {};
};

/// Returns the maximum number of callers at the same time. This is at most a quarter of the process's limit on open
/// files, because the run needs the other files.
std::size_t most_half_open() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return Gate::kMaxHalfOpen;
  return std::clamp<std::size_t>(files.rlim_cur / 4, 1, Gate::kMaxHalfOpen);
}

const char* describe(Caller::Stage stage) {
  switch (stage) {
    case Caller::Stage::handshake:
      return "the handshake";
    case Caller::Stage::hello:
      return "the hello";
    default:
      return "the answer";
  }
}

}  // namespace

/// The implementation of the gate, with an event loop. All member functions except the constructor, the destructor and
/// `address` run on the loop's thread.
class Gate::Impl {
 public:
  Impl(const Address& listen, std::shared_ptr<const Credentials> credentials, Admit admit, Take take,
       std::chrono::milliseconds handshake_timeout, std::shared_ptr<net::RefusalLog> log)
      : handshake_timeout_(handshake_timeout),
        log_(std::move(log)),
        credentials_(std::move(credentials)),
        admit_(std::move(admit)),
        take_(std::move(take)) {
    FileDescriptor listener = net::listen_on(listen);
    address_ = net::local_of(listener.get());
    try {
      listener_.assign(listener.get());
      listener.release();
    } catch (const boost::system::system_error& error) {
      throw_refused("cannot listen on " + listen.text(), error.code().value());
    }
    wait_for_callers();
    tick();
    thread_ = start_thread([this] { run(); });
  }

  ~Impl() {
    loop_.stop();
    thread_.join();
    // Stops listening; to close the socket is not enough, because a child made by fork may also have the socket open.
    ::shutdown(listener_.native_handle(), SHUT_RDWR);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const Address& address() const { return address_; }

 private:
  using Callers = std::map<std::uint64_t, Caller>;
  using Place = Callers::iterator;

  static constexpr std::chrono::milliseconds kTick{200};
  static constexpr int kAcceptedAtOnce = 16;

  void run() {
    for (;;) try {
        loop_.run();
        return;
      } catch (const std::exception& error) {
        // An error with one caller must not end the gate for other callers.
        log_line(LogLevel::error, "gate " + address_.text() + ": " + error.what());
      }
  }

  void wait_for_callers() {
    listener_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
      if (error) return;
      if (accept_callers()) wait_for_callers();
    });
  }

  /// Accepts waiting connections. Returns false if this process or the machine can open no more descriptors at the
  /// moment. In that case, the next `tick` makes the gate accept connections again.
  bool accept_callers() {
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
      FileDescriptor socket = net::accept_from(listener_.native_handle());
      if (!socket) {
        const int error = errno;
        const bool full = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
        if (!full) return true;
        if (!callers_.empty()) {  // drops two callers: one descriptor is for the new connection, and one for the run
          for (int dropped = 0; dropped < 2 && !callers_.empty(); ++dropped)
            refuse(one_too_many(""), "too many connections at once");
          continue;
        }
        log_->refused("callers of " + address_.text(), address_.text(), std::generic_category().message(error));
        paused_ = true;
        return false;
      }
      welcome(std::move(socket));
    }
    return true;
  }

  void welcome(FileDescriptor socket) try {
    const Address peer = net::peer_of(socket.get());
    while (callers_.size() >= most_half_open())
      refuse(one_too_many(source_of(peer.host)), "too many connections at once");
    advance(callers_.try_emplace(next_++, loop_, std::move(socket), peer, *credentials_, handshake_timeout_).first);
  } catch (const std::exception& error) {
    log_->refused("a caller", address_.text(), error.what());
  }

  /// Returns the oldest connection of the source that has the most connections. There must be at least one connection.
  /// @param newcomer the source of the connection that is being accepted, which is counted, too; empty: unknown
  Place one_too_many(const std::string& newcomer) {
    std::map<std::string, std::size_t> held{{newcomer, 1}};
    for (const auto& [number, caller] : callers_) ++held[caller.source];
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const std::size_t most = std::max_element(held.begin(), held.end(), fewer)->second;
    return std::find_if(callers_.begin(), callers_.end(),
                        [&](const auto& entry) { return held[entry.second.source] == most; });
  }

  /// Continues with a caller until the gate must wait for the caller's socket, or the caller has been passed to `Take`
  /// or dropped.
  void advance(Place caller) try {
    for (;;) {
      const TlsStream::Progress progress = step(caller->second);
      if (progress.wants == TlsStream::Wants::closed)
        return refuse(caller, std::string("disconnected during ") + describe(caller->second.stage));
      if (progress.wants != TlsStream::Wants::nothing) return wait(caller, progress.wants);
      if (caller->second.stage == Caller::Stage::answer) return finish(caller);
      if (caller->second.stage == Caller::Stage::hello) hear(caller->second);
      caller->second.stage = static_cast<Caller::Stage>(static_cast<int>(caller->second.stage) + 1);
    }
  } catch (const Error& error) {
    refuse(caller, error.message());
  }

  /// Continues the current stage (handshake, hello or answer) of a caller as far as possible without blocking.
  static TlsStream::Progress step(Caller& caller) {
    if (caller.stage == Caller::Stage::handshake) return {0, caller.stream.accept_some()};
    const bool hello = caller.stage == Caller::Stage::hello;
    const auto progress = hello ? caller.stream.read_some(std::span(caller.bytes).subspan(caller.done))
                                : caller.stream.write_some(std::span(caller.answer).subspan(caller.done));
    caller.done += progress.bytes;
    return progress;
  }

  void hear(Caller& caller) {
    caller.hello = decode_hello(caller.bytes);
    if (!caller.hello) throw Error(ErrorCode::protocol, "it sent an invalid hello");
    caller.verdict = mismatch(*caller.hello);
    if (caller.verdict.refusal.empty()) caller.verdict = admit_(*caller.hello, caller.stream);
    caller.answer = encode_answer(caller.verdict);
    caller.done = 0;
  }

  void finish(Place caller) {
    const Verdict& verdict = caller->second.verdict;
    if (!verdict.refusal.empty()) return refuse(caller, std::string(verdict.refusal));
    if (verdict.status) {
      callers_.erase(caller);
      return;
    }
    const Hello hello = *caller->second.hello;
    caller->second.readiness.release();
    TlsStream stream = std::move(caller->second.stream);
    const Address address = caller->second.address;
    callers_.erase(caller);
    try {
      take_(hello, std::move(stream));
    } catch (const Error& error) {
      log_->refused(address.text(), address.host, error.message());
    }
  }

  void wait(Place caller, TlsStream::Wants wants) {
    using Readiness = asio::posix::stream_descriptor;
    const auto event = wants == TlsStream::Wants::write ? Readiness::wait_write : Readiness::wait_read;
    caller->second.readiness.async_wait(event, [this, number = caller->first](const boost::system::error_code& error) {
      const Place waiting = error ? callers_.end() : callers_.find(number);
      if (waiting != callers_.end()) advance(waiting);
    });
  }

  void refuse(Place caller, const std::string& why) {
    log_->refused(caller->second.address.text(), caller->second.address.host, why);
    callers_.erase(caller);
  }

  /// Runs every 200 ms, and drops callers whose deadline has passed. All callers have the same timeout, so the oldest
  /// caller has the earliest deadline.
  void tick() {
    while (!callers_.empty() && callers_.begin()->second.deadline.passed())
      refuse(callers_.begin(), std::string("timed out during ") + describe(callers_.begin()->second.stage));
    log_->tick(Clock::now());
    if (std::exchange(paused_, false)) wait_for_callers();
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) tick();
    });
  }

  const std::chrono::milliseconds handshake_timeout_;
  const std::shared_ptr<net::RefusalLog> log_;
  std::shared_ptr<const Credentials> credentials_;
  Admit admit_;
  Take take_;
  Address address_;
  asio::io_context loop_{1};
  asio::posix::stream_descriptor listener_{loop_};
  asio::steady_timer timer_{loop_};
  bool paused_ = false;
  Callers callers_;  ///< in order of arrival
  std::uint64_t next_ = 0;
  std::thread thread_;
};

Gate::Gate(const Address& listen, std::shared_ptr<const Credentials> credentials, Admit admit, Take take,
           std::chrono::milliseconds handshake_timeout, std::shared_ptr<net::RefusalLog> log)
    : impl_(std::make_unique<Impl>(listen, std::move(credentials), std::move(admit), std::move(take), handshake_timeout,
                                   std::move(log))) {}

Gate::~Gate() = default;

const Address& Gate::address() const { return impl_->address(); }

}  // namespace troupe
