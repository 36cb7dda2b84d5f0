#include "actors/transport/tls_transport.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/acceptor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "actors/transport/admission/admitted_stream.hpp"
#include "actors/transport/connection_manager.hpp"

namespace troupe {

using caf::io::network::default_multiplexer;
using caf::io::network::native_socket;
using caf::io::network::rw_state;

namespace {

/// Returns the maximum number of bytes that may wait to be sent to a node: 64 MiB, plus the size of the largest message
/// for each worker of the node.
std::size_t most_queued(const RunLimits& limits) {
  const std::size_t nodes = std::max<std::size_t>(limits.members, 2) - 1;
  return (std::size_t{64} << 20) + (limits.replicas / nodes + 1) * largest_message_to(Recipient::worker, limits);
}

wire::NodeId id_of(const caf::node_id& node) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  wire::NodeId id{};
  if (sink(node) || bytes.size() != id.size()) throw Error(ErrorCode::system, "CAF's id of this process is not valid");
  std::memcpy(id.data(), bytes.data(), id.size());
  return id;
}

caf::node_id node_of(const wire::NodeId& id) {
  caf::binary_deserializer source(nullptr, reinterpret_cast<const char*>(id.data()), id.size());
  caf::node_id node;
  if (source(node)) throw Error(ErrorCode::system, "CAF rejects the id of the connection");
  return node;
}

/// The functions with which CAF reads and writes a control connection. These functions use a TLS stream in place of a
/// plain socket.
class TlsPolicy {
 public:
  TlsPolicy(TlsStream stream, std::shared_ptr<ControlLink> link, LinkEnd end, const caf::node_id& own,
            const RunLimits& limits)
      : stream_(std::move(stream), end, id_of(own), limits), link_(std::move(link)) {
    link_->note_peer(node_of(stream_.peer()));
  }
  TlsPolicy(const TlsPolicy&) = delete;
  TlsPolicy& operator=(const TlsPolicy&) = delete;
  ~TlsPolicy() { link_->note_end(); }

  rw_state read_some(std::size_t& result, native_socket /*fd*/, void* into, std::size_t bytes) {
    const rw_state state = outcome(result, [&] { return stream_.read_some({static_cast<std::byte*>(into), bytes}); });
    if (link_->muted()) return drop_what_comes(result, state);
    if (result > 0) link_->note_heard();
    return state;
  }
  rw_state write_some(std::size_t& result, native_socket /*fd*/, const void* from, std::size_t bytes) {
    result = 0;
    if (bytes == 0) return rw_state::indeterminate;
    if (link_->muted() && !link_->refused()) {
      result = bytes;
      return rw_state::success;
    }
    return outcome(result, [&] { return stream_.write_some({static_cast<const std::byte*>(from), bytes}); });
  }
  /// Returns true if data is available that was already read from the socket. CAF must then read again at once, because
  /// this data does not make the socket readable.
  bool must_read_more(native_socket /*fd*/, std::size_t /*threshold*/) { return stream_.pending(); }

 private:
  /// Reads and discards all data that has arrived. Must read until no data is left, because CAF reads again only when
  /// the socket becomes readable.
  /// @param state, result the outcome of the read before this call
  rw_state drop_what_comes(std::size_t& result, rw_state state) {
    std::array<std::byte, 4096> nowhere;
    while (state == rw_state::success && result > 0)
      state = outcome(result, [&] { return stream_.read_some(nowhere); });
    return state;
  }

  /// Calls `call`, which reads or writes. Stores the number of bytes that were read or written in `result`, and returns
  /// the state of the connection for CAF. If `call` throws, ends the connection; the reason is the message of the
  /// exception.
  template <class Call>
  rw_state outcome(std::size_t& result, Call call) {
    result = 0;
    link_->note_look();
    if (link_->refused()) return rw_state::failure;
    try {
      const TlsStream::Progress progress = call();
      result = progress.bytes;
      return progress.wants == TlsStream::Wants::closed ? rw_state::failure : rw_state::success;
    } catch (const Error& error) {
      link_->refuse(error.message());
      return rw_state::failure;
    } catch (const std::exception& error) {  // such as std::bad_alloc; an exception would end CAF's thread
      link_->refuse(error.what());
      return rw_state::failure;
    }
  }

  AdmittedStream stream_;
  std::shared_ptr<ControlLink> link_;
};

/// One control connection over TLS, as a scribe: the form of a connection that CAF requires.
class TlsScribe : public caf::io::scribe {
 public:
  TlsScribe(default_multiplexer& multiplexer, native_socket fd, TlsStream stream,
            const std::shared_ptr<ControlLink>& link, LinkEnd end, const RunLimits& limits)
      : scribe(caf::io::network::conn_hdl_from_socket(fd)),
        link_(link),
        most_queued_(most_queued(limits)),
        stream_(multiplexer, fd, std::move(stream), link, end, multiplexer.system().node(), limits) {}

  void configure_read(caf::io::receive_policy::config config) override {
    stream_.configure_read(config);
    if (!launched_) stream_.start(this);
    launched_ = true;
  }
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }
  void flush() override {
    if (stream_.wr_buf().size() > most_queued_) link_->refuse("it does not read its messages");
    stream_.flush(this);
  }
  std::string addr() const override { return link_->address(); }
  std::uint16_t port() const override { return kPublishedPort; }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }

 private:
  std::shared_ptr<ControlLink> link_;
  const std::size_t most_queued_;
  bool launched_ = false;
  caf::io::network::stream_impl<TlsPolicy> stream_;
};

/// Returns a new TlsScribe.
/// @param second a duplicate of the descriptor of `stream`. CAF owns and closes this duplicate, independently of
/// `stream`
caf::io::scribe_ptr make_scribe(default_multiplexer& multiplexer, TlsStream stream, FileDescriptor second,
                                const std::shared_ptr<ControlLink>& link, LinkEnd end, const RunLimits& limits) {
  return caf::make_counted<TlsScribe>(multiplexer, second.release(), std::move(stream), link, end, limits);
}

}  // namespace

/// A queue that passes streams from the gate's thread to CAF's thread. CAF's thread polls the descriptor `bell`, which
/// is readable while a stream waits in the queue.
struct TlsListener::Door {
  struct Entry {
    TlsStream stream;
    FileDescriptor second;  ///< a duplicate of the stream's descriptor
    std::shared_ptr<ControlLink> link;
  };

  explicit Door(const RunLimits& run) : limits(run), bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
    if (!bell) throw_errno("eventfd");
  }
  void enter(Entry entry) {
    {
      const std::lock_guard lock(mutex);
      waiting.push_back(std::move(entry));
    }
    const std::uint64_t one = 1;
    if (::write(bell.get(), &one, sizeof one) != sizeof one) throw_errno("eventfd");
  }
  std::optional<Entry> next() {
    const std::lock_guard lock(mutex);
    if (waiting.empty()) return std::nullopt;
    Entry entry = std::move(waiting.front());
    waiting.pop_front();
    return entry;
  }

  const RunLimits limits;
  FileDescriptor bell;  ///< an eventfd, whose counter is the number of waiting streams
  std::mutex mutex;
  std::deque<Entry> waiting;
};

namespace {

/// Makes CAF treat each stream that waits in a Door like a connection that can be accepted: CAF accepts from the
/// descriptor `Door::bell`.
struct BellPolicy {
  static bool try_accept(native_socket& result, native_socket fd) {
    std::uint64_t one = 0;
    if (::read(fd, &one, sizeof one) != sizeof one) return true;
    result = fd;
    return true;
  }
};

template <class Door>
class TlsDoorman : public caf::io::doorman {
 public:
  TlsDoorman(default_multiplexer& multiplexer, native_socket bell, std::shared_ptr<Door> door)
      : doorman(caf::io::network::accept_hdl_from_socket(bell)), acceptor_(multiplexer, bell), door_(std::move(door)) {}

  bool new_connection() override {
    if (detached()) return false;
    auto entry = door_->next();
    if (!entry) return true;
    auto& multiplexer = acceptor_.backend();
    try {
      auto scribe = make_scribe(multiplexer, std::move(entry->stream), std::move(entry->second), entry->link,
                                LinkEnd::driver, door_->limits);
      const auto handle = scribe->hdl();
      parent()->add_scribe(std::move(scribe));
      return doorman::new_connection(&multiplexer, handle);
    } catch (const std::exception& error) {  // an exception would end CAF's thread
      entry->link->refuse(error.what());
      return true;
    }
  }
  void graceful_shutdown() override {
    acceptor_.graceful_shutdown();
    detach(&acceptor_.backend(), false);
  }
  void launch() override { acceptor_.start(this); }
  std::string addr() const override { return "gate"; }
  std::uint16_t port() const override { return kPublishedPort; }
  void add_to_loop() override { acceptor_.activate(this); }
  void remove_from_loop() override { acceptor_.passivate(); }

 private:
  caf::io::network::acceptor_impl<BellPolicy> acceptor_;
  std::shared_ptr<Door> door_;
};

/// A connection manager of CAF for TLS streams that already exist. Its function `connect` calls the constructor's
/// argument `scribe`, and its function `open` calls the argument `doorman`.
class TlsManager : public caf::io::middleman_actor_impl {
 public:
  using Make = std::function<caf::expected<caf::io::scribe_ptr>(default_multiplexer&)>;
  using MakeDoorman = std::function<caf::expected<caf::io::doorman_ptr>(default_multiplexer&)>;

  TlsManager(caf::actor_config& config, caf::actor broker, Make scribe, MakeDoorman doorman)
      : middleman_actor_impl(config, std::move(broker)), scribe_(std::move(scribe)), doorman_(std::move(doorman)) {}

 protected:
  caf::expected<caf::io::scribe_ptr> connect(const std::string& /*host*/, std::uint16_t /*port*/) override {
    return scribe_(multiplexer());
  }
  caf::expected<caf::io::doorman_ptr> open(std::uint16_t /*port*/, const char* /*address*/, bool /*reuse*/) override {
    return doorman_(multiplexer());
  }

 private:
  default_multiplexer& multiplexer() { return dynamic_cast<default_multiplexer&>(system().middleman().backend()); }

  Make scribe_;
  MakeDoorman doorman_;
};

caf::io::middleman_actor make_manager(caf::actor_system& system, TlsManager::Make scribe,
                                      TlsManager::MakeDoorman doorman) {
  auto broker = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  const ForgetsLogger forgets;
  return system.spawn<TlsManager, caf::hidden>(std::move(broker), std::move(scribe), std::move(doorman));
}

}  // namespace

TlsListener::TlsListener(caf::actor_system& system, const caf::actor& reachable, const RunLimits& limits)
    : door_(std::make_shared<Door>(limits)) {
  const auto doorman = [door = door_](default_multiplexer& multiplexer) -> caf::expected<caf::io::doorman_ptr> {
    return caf::io::doorman_ptr(
        caf::make_counted<TlsDoorman<Door>>(multiplexer, duplicate(door->bell.get()).release(), door));
  };
  manager_ = make_manager(system, nullptr, doorman);
  const std::string problem = publish(manager_, reachable, "");
  if (!problem.empty()) throw Error(ErrorCode::system, "cannot listen for nodes: " + problem);
}

TlsListener::~TlsListener() { end_publishing(manager_); }

void TlsListener::hand_over(TlsStream stream, std::shared_ptr<ControlLink> link) {
  FileDescriptor second = duplicate(stream.fd());  // duplicated here, because a failure on CAF's thread would affect
                                                   // more
  door_->enter({std::move(stream), std::move(second), std::move(link)});
}

caf::actor connect_tls(caf::actor_system& system, TlsStream stream, std::shared_ptr<ControlLink> link,
                       std::chrono::milliseconds timeout) {
  const std::string address = link->address();
  auto taken = std::make_shared<std::optional<TlsStream>>(std::move(stream));
  const auto second = std::make_shared<FileDescriptor>(duplicate((*taken)->fd()));
  const auto scribe = [taken, second,
                       link = std::move(link)](default_multiplexer& multiplexer) -> caf::expected<caf::io::scribe_ptr> {
    if (!*taken) return caf::make_error(caf::sec::cannot_connect_to_node);
    TlsStream once = *std::exchange(*taken, std::nullopt);
    return make_scribe(multiplexer, std::move(once), std::move(*second), link, LinkEnd::node, {});
  };
  return connect(make_manager(system, scribe, nullptr), address, timeout);
}

}  // namespace troupe
