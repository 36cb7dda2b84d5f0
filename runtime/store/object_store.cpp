#include "runtime/store/object_store.hpp"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/store/object_table.hpp"
#include "runtime/store/seqpacket.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace asio = boost::asio;

/// The implementation of the store: the table of objects, and the event loop whose thread handles all requests. All
/// member functions except `run`, `stop` and `post` run on the loop's thread.
class ObjectStore::Impl : public std::enable_shared_from_this<ObjectStore::Impl> {
 public:
  /// A function that receives the answer to a request. The table still owns the answer's descriptor.
  using Respond = std::function<void(const store::Answer&)>;

  /// @throws Error system or limit_reached if the loop gets no descriptors
  explicit Impl(std::size_t quota) try
      : first_socket_(loop_),
        table_(quota, [this](const store::Waiter& waiter, const store::Answer& answer) { wake(waiter, answer); }) {
  } catch (const boost::system::system_error& error) {
    throw_refused("cannot start the object store", error.code().value());
  }

  /// Starts the thread that runs the loop.
  void run() {
    thread_ = start_thread([this] {
      for (;;) try {
          loop_.run();
          return;
        } catch (const std::exception& error) {
          // An error in the request of one client must not end the store for other clients.
          log_line(LogLevel::error, std::string("object store: ") + error.what());
        }
    });
  }

  /// Ends the store. From now on, `post` refuses work. Work that was posted before still runs. Then requests that wait
  /// for an object are cancelled.
  void stop() {
    {
      const std::lock_guard lock(posting_);
      stopped_ = true;
      asio::post(loop_, [this] {
        waiting_.clear();
        sessions_.clear();
        busy_.reset();
      });
    }
    thread_.join();
  }

  /// Runs `work` on the loop. Returns false if the store has ended.
  template <class F>
  bool post(F work) {
    const std::lock_guard lock(posting_);
    if (stopped_) return false;
    asio::post(loop_, std::move(work));
    return true;
  }

  store::ClientId add_client() { return table_.add_client(); }
  void drop_client(store::ClientId client) { table_.drop_client(client); }

  /// Handles a request, and calls `respond` with the answer. A `get` request of an unsealed object is answered when the
  /// object is sealed or the request's deadline has passed; other requests are answered immediately.
  void handle(store::ClientId client, const store::Request& request, Respond respond) {
    store::Answer answer = table_.handle(client, request);
    answer.reply.sequence = request.sequence;
    if (answer.reply.status != store::Status::waiting) return respond(answer);
    const store::Waiter waiter{client, request.sequence, request.id};
    auto& waiting = waiting_[waiter];
    waiting.respond = std::move(respond);
    waiting.timer = std::make_unique<asio::steady_timer>(loop_, std::chrono::milliseconds(request.deadline_ms));
    waiting.timer->async_wait([this, waiter](const boost::system::error_code& error) {
      if (!error) table_.expire(waiter);
    });
  }

  /// Adds a client in another process, whose requests arrive through `socket`.
  void serve(FileDescriptor socket) {
    const store::ClientId client = add_client();
    auto session = std::make_unique<asio::posix::stream_descriptor>(loop_, socket.release());
    const auto placed = sessions_.emplace(client, std::move(session)).first;
    listen(client, *placed->second);
  }

 private:
  struct Waiting {
    Respond respond;
    std::unique_ptr<asio::steady_timer> timer;
  };

  /// Passes the answer of a waiting request to the request's `Respond` function.
  void wake(const store::Waiter& waiter, const store::Answer& answer) {
    const auto found = waiting_.find(waiter);
    if (found == waiting_.end()) return;
    const Waiting waiting = std::move(found->second);
    waiting_.erase(found);
    store::Answer numbered = answer;
    numbered.reply.sequence = waiter.sequence;
    waiting.respond(numbered);
  }

  void listen(store::ClientId client, asio::posix::stream_descriptor& socket) {
    socket.async_wait(asio::posix::stream_descriptor::wait_read,
                      [this, client, &socket](const boost::system::error_code& error) {
                        if (error || !receive(client, socket)) return;
                        listen(client, socket);
                      });
  }

  /// Receives one request from the socket of a client, if there is one, and handles it. Returns false if the client was
  /// dropped.
  bool receive(store::ClientId client, asio::posix::stream_descriptor& socket) {
    store::Request request;
    const auto got =
        store::receive_packet(socket.native_handle(), std::as_writable_bytes(std::span(&request, 1)), nullptr);
    if (got == store::Received::nothing) return true;
    if (got == store::Received::closed) return drop_session(client, "");
    if (got == store::Received::malformed || !store::well_formed(request))
      return drop_session(client, "sent a malformed request");
    handle(client, request, [this, client](const store::Answer& answer) { send(client, answer); });
    return true;
  }

  void send(store::ClientId client, const store::Answer& answer) {
    const auto session = sessions_.find(client);
    if (session == sessions_.end()) return;
    if (!store::send_packet(session->second->native_handle(), std::as_bytes(std::span(&answer.reply, 1)), answer.fd)) {
      // The client is dropped later, because this function may be called while the table is in the middle of an
      // operation.
      asio::post(loop_, [this, client] { drop_session(client, ""); });
    }
  }

  bool drop_session(store::ClientId client, const char* why) {
    if (*why != '\0')
      log_line(LogLevel::warning, "object store: client " + std::to_string(client) + " " + why + " and was dropped");
    std::erase_if(waiting_, [client](const auto& waiting) { return waiting.first.client == client; });
    table_.drop_client(client);
    sessions_.erase(client);
    return false;
  }

  asio::io_context loop_{1};
  asio::executor_work_guard<asio::io_context::executor_type> busy_{loop_.get_executor()};
  /// Not used: it only makes the loop open its own descriptors in the constructor, where a failure can be reported.
  asio::posix::stream_descriptor first_socket_;
  store::ObjectTable table_;
  std::map<store::Waiter, Waiting> waiting_;
  std::map<store::ClientId, std::unique_ptr<asio::posix::stream_descriptor>> sessions_;
  std::thread thread_;
  std::mutex posting_;
  bool stopped_ = false;
};

/// The channel of a client in the store's process: it passes requests to the store's loop, without a socket.
class ObjectStore::LoopChannel : public store::Channel {
 public:
  explicit LoopChannel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {
    const auto add = [impl = impl_.get()](auto promise) { promise->set_value(impl->add_client()); };
    client_ = on_loop<store::ClientId>(add, std::chrono::seconds(10));
  }

  ~LoopChannel() override {
    if (!owner_.is_this()) return;
    impl_->post([impl = impl_.get(), client = client_] { impl->drop_client(client); });
  }

  store::Reply call(const store::Request& request, std::chrono::milliseconds timeout, FileDescriptor& file) override {
    store::Request numbered = request;
    numbered.sequence = ++sequence_;
    using Result = std::pair<store::Reply, FileDescriptor>;
    const auto ask = [impl = impl_.get(), client = client_,
                      numbered](const std::shared_ptr<std::promise<Result>>& promise) {
      impl->handle(client, numbered, [promise](const store::Answer& answer) {
        // Duplicates the answer's descriptor, because the caller uses the duplicate later, when the table may have
        // closed the original.
        FileDescriptor copy(answer.fd >= 0 ? ::fcntl(answer.fd, F_DUPFD_CLOEXEC, 0) : -1);
        store::Reply reply = answer.reply;
        if (answer.fd >= 0 && !copy) reply.status = store::Status::no_files;
        promise->set_value({reply, std::move(copy)});
      });
    };
    Result result = on_loop<Result>(ask, timeout);
    file = std::move(result.second);
    return result.first;
  }

 private:
  /// Runs `work` on the loop's thread and passes a promise to it. Waits at most `timeout` until `work` sets the
  /// promise's value, and returns the value. @throws Error timeout, or store_failed if the store has ended
  template <class T, class F>
  T on_loop(F work, std::chrono::milliseconds timeout) {
    auto promise = std::make_shared<std::promise<T>>();
    auto result = promise->get_future();
    if (!impl_->post([work = std::move(work), promise = std::move(promise)] { work(promise); }))
      throw Error(ErrorCode::store_failed, "the object store is gone");
    if (result.wait_for(timeout) != std::future_status::ready)
      throw Error(ErrorCode::timeout, "the object store does not answer");
    try {
      return result.get();
    } catch (const std::future_error&) {
      throw Error(ErrorCode::store_failed, "the object store ended during a request");
    }
  }

  OwningProcess owner_;
  std::shared_ptr<Impl> impl_;
  store::ClientId client_ = 0;
  std::uint64_t sequence_ = 0;
};

ObjectStore::ObjectStore(std::size_t quota_bytes)
    : impl_(std::make_shared<Impl>(quota_bytes > 0 ? quota_bytes : memory_bytes() / 2)) {
  impl_->run();
}

ObjectStore::~ObjectStore() { impl_->stop(); }

std::unique_ptr<StoreClient> ObjectStore::connect() {
  return std::make_unique<StoreClient>(std::make_unique<LoopChannel>(impl_));
}

FileDescriptor ObjectStore::connect_process() {
  auto [ours, theirs] = store::make_socket_pair();
  impl_->post([impl = impl_.get(), socket = std::make_shared<FileDescriptor>(std::move(ours))] {
    impl->serve(std::move(*socket));
  });
  return std::move(theirs);
}

}  // namespace troupe
