#include "runtime/http/transfers.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/http/traffic.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kStallSeconds = 10;
constexpr long kSlowest = 100;  // bytes/s
constexpr long kLongestSeconds = 300;
constexpr long kMostRedirects = 5;
constexpr std::size_t kMostHeaders = 100;
constexpr std::size_t kLongestHeader = 8192;

bool is_link_local(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &address, sizeof four);
    return (ntohl(four.sin_addr.s_addr) & 0xffff0000U) == 0xa9fe0000U;  // 169.254.0.0/16
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 six{};
  std::memcpy(&six, &address, sizeof six);
  const std::uint8_t* const bytes = six.sin6_addr.s6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) return true;
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) return bytes[12] == 169 && bytes[13] == 254;
  constexpr std::uint8_t kAmazon[] = {0xfd, 0, 0x0e, 0xc2};  // fd00:ec2::/32 provides credentials, too
  return std::memcmp(bytes, kAmazon, sizeof kAmazon) == 0;
}

/// Returns whether the URL is that of this machine.
bool is_here(const std::string& url) {
  return url.starts_with("http://127.") || url.starts_with("http://localhost") || url.starts_with("http://[::1]");
}

/// Returns whether the same request would have the same result again.
bool is_final(CURLcode result) {
  switch (result) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_BAD_CONTENT_ENCODING:
      return true;
    default:
      return false;
  }
}

struct Free {
  void operator()(CURL* handle) const { ::curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
};

curl_socket_t open_socket(void* /*client*/, curlsocktype /*purpose*/, curl_sockaddr* address) {
  if (is_link_local(address->addr)) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

const char* authorities() {
  for (const char* const name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"})
    if (const char* const file = std::getenv(name); file != nullptr && *file != '\0') return file;
  return nullptr;
}

/// A transfer that is being made.
class Running {
 public:
  Running(std::shared_ptr<Transfer> transfer, Urgency urgency)
      : transfer_(std::move(transfer)), urgency_(urgency), handle_(::curl_easy_init()) {
    if (!handle_) throw std::bad_alloc();
    const HttpRequest request = transfer_->request();
    for (const std::string& header : request.headers)
      headers_.reset(::curl_slist_append(headers_.release(), header.c_str()));
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});  // one connection for each transfer
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowest);
    set(CURLOPT_TIMEOUT, kLongestSeconds);
    set(CURLOPT_QUICK_EXIT, 1L);  // a request that waits for DNS must not block the others
    set(CURLOPT_PATH_AS_IS, 1L);  // the path is signed
    if (is_here(request.url)) set(CURLOPT_PROXY, "");
    set(CURLOPT_LOW_SPEED_TIME, kStallSeconds);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, request.url.starts_with("https:") ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, request.follows ? 1L : 0L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_WRITEFUNCTION, take);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, take_header);
    set(CURLOPT_HEADERDATA, this);
    if (const char* const file = authorities()) set(CURLOPT_CAINFO, file);
    if (request.end > 0)
      set(CURLOPT_RANGE, (std::to_string(request.begin) + "-" + std::to_string(request.end - 1)).c_str());
  }

  CURL* handle() const { return handle_.get(); }
  const std::shared_ptr<Transfer>& transfer() const { return transfer_; }
  Urgency urgency() const { return urgency_; }
  /// Ends the transfer with this result of libcurl. Returns after which time to make it again.
  std::optional<Clock::duration> end(CURLcode result) {
    set_status();
    if (result != CURLE_OK && !(result == CURLE_WRITE_ERROR && refused_))
      response_.failure = printable(*error_ != '\0' ? error_ : ::curl_easy_strerror(result), 200);
    response_.is_final = is_final(result);
    return transfer_->end(response_);
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (::curl_easy_setopt(handle_.get(), option, value) != CURLE_OK)
      throw Error(ErrorCode::system, "this machine's libcurl lacks an option");
  }

  void set_status() {
    long status = 0;
    ::curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
  }

  static std::size_t take(char* bytes, std::size_t /*one*/, std::size_t count, void* self) {
    auto& it = *static_cast<Running*>(self);
    it.set_status();
    note_remote_traffic({.bytes = static_cast<std::int64_t>(count)});
    it.refused_ = !it.transfer_->take(it.response_, std::as_bytes(std::span(bytes, count)));
    return it.refused_ ? 0 : count;
  }

  static std::size_t take_header(char* bytes, std::size_t /*one*/, std::size_t count, void* self) {
    auto& headers = static_cast<Running*>(self)->response_.headers;
    const std::string_view line(bytes, count);
    if (line.starts_with("HTTP/")) headers.clear();  // of a redirect
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return count;
    if (headers.size() >= kMostHeaders || count > kLongestHeader) return 0;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    const std::size_t end = line.find_last_not_of(" \t\r\n");
    headers[name] = begin == std::string_view::npos || begin > end ? "" : line.substr(begin, end + 1 - begin);
    return count;
  }

  std::shared_ptr<Transfer> transfer_;
  Urgency urgency_;
  std::unique_ptr<CURL, Free> handle_;
  std::unique_ptr<curl_slist, Free> headers_;
  HttpResponse response_;
  bool refused_ = false;  ///< Transfer::take has returned false
  char error_[CURL_ERROR_SIZE] = "";
};

/// The thread of Transfers.
class Loop {
 public:
  Loop() : multi_(::curl_multi_init()) {
    if (!multi_) throw std::bad_alloc();
    ::curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, long{Transfers::kMostConnections});
    ::curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, long{Transfers::kMostConnections});
    try {
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::system_error&) {
      throw Error(ErrorCode::limit_reached,
                  "cannot start a thread for transfers from servers: raise the limit on threads");
    }
  }
  ~Loop() {
    thread_.request_stop();
    ::curl_multi_wakeup(multi_.get());
    thread_.join();
    for (const auto& each : running_) ::curl_multi_remove_handle(multi_.get(), each->handle());
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void start(std::shared_ptr<Transfer> transfer, Urgency urgency) {
    {
      const std::lock_guard lock(mutex_);
      const auto later = std::ranges::find(waiting_, Urgency::later, &Waiting::urgency);
      waiting_.insert(urgency == Urgency::now ? later : waiting_.end(), {Clock::now(), urgency, std::move(transfer)});
    }
    ::curl_multi_wakeup(multi_.get());
  }

 private:
  struct Waiting {
    Clock::time_point due;
    Urgency urgency;
    std::shared_ptr<Transfer> transfer;
  };

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      start_due();
      int running = 0;
      ::curl_multi_perform(multi_.get(), &running);
      for (int left = 0; const CURLMsg* const message = ::curl_multi_info_read(multi_.get(), &left);)
        if (message->msg == CURLMSG_DONE) end(message->easy_handle, message->data.result);
      ::curl_multi_poll(multi_.get(), nullptr, 0, milliseconds_to_next(), nullptr);
    }
  }

  /// Starts transfers whose time has come, as many as there are free connections. libcurl would count the time that a
  /// transfer waits for a connection as a part of its time limit.
  void start_due() {
    while (running_.size() < Transfers::kMostConnections) {
      std::list<Waiting> next;
      {
        const std::lock_guard lock(mutex_);
        const Clock::time_point now = Clock::now();
        const auto due = std::ranges::find_if(waiting_, [&](const Waiting& each) { return each.due <= now; });
        if (due == waiting_.end()) return;
        next.splice(next.end(), waiting_, due);
      }
      start_now(next.front());
    }
  }

  void start_now(const Waiting& next) try {
    running_.push_back(std::make_unique<Running>(next.transfer, next.urgency));
    note_remote_traffic({.requests = 1});
    if (::curl_multi_add_handle(multi_.get(), running_.back()->handle()) == CURLM_OK) return;
    running_.pop_back();
    next.transfer->end({.failure = "libcurl cannot make a request", .is_final = true});
  } catch (const std::exception& error) {
    next.transfer->end({.failure = error.what(), .is_final = true});
  }

  /// Returns the time until the next transfer must be started, at most a second.
  int milliseconds_to_next() {
    const std::lock_guard lock(mutex_);
    auto next = Clock::now() + std::chrono::seconds(1);
    if (running_.size() >= Transfers::kMostConnections) return 1000;  // the end of a transfer ends the wait
    for (const Waiting& each : waiting_) next = std::min(next, each.due);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
  }

  void end(CURL* handle, CURLcode result) {
    const auto it = std::ranges::find_if(running_, [&](const auto& each) { return each->handle() == handle; });
    ::curl_multi_remove_handle(multi_.get(), handle);
    const std::unique_ptr<Running> ended = std::move(*it);
    running_.erase(it);
    const auto again = ended->end(result);
    if (!again) return;
    note_remote_traffic({.retries = 1});
    const std::lock_guard lock(mutex_);
    waiting_.push_front({Clock::now() + *again, ended->urgency(), ended->transfer()});
  }

  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::list<std::unique_ptr<Running>> running_;  ///< used by the thread only
  std::mutex mutex_;
  std::list<Waiting> waiting_;
  std::jthread thread_;
};

/// Returns the loop of this process. A child made by fork has its own.
Loop& loop() {
  static auto& mutex = *new std::mutex;
  static OwnedHere<Loop>* of_process = nullptr;  // never destroyed: threads may use it until the process ends
  const std::lock_guard lock(mutex);
  if (of_process != nullptr && of_process->owner().is_this()) return *of_process->operator->();
  static const bool ready = ::curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (!ready) throw Error(ErrorCode::system, "libcurl cannot be used");
  of_process = std::make_unique<OwnedHere<Loop>>().release();
  return *of_process->operator->();
}

}  // namespace

std::string HttpResponse::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

void Transfers::start(std::shared_ptr<Transfer> transfer, Urgency urgency) {
  loop().start(std::move(transfer), urgency);
}

}  // namespace troupe
