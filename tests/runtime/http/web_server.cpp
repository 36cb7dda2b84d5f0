#include "runtime/http/web_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace troupe_test {

using troupe::FileDescriptor;

class WebServer::Impl {
 public:
  explicit Impl(Respond respond)
      : respond_(std::move(respond)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), any, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), any, &size) != 0)
      throw std::runtime_error("the web server of this test cannot listen");
    port_ = ntohs(address.sin_port);
    threads_.emplace_back([this](const std::stop_token& stop) { accept_all(stop); });
  }
  ~Impl() {
    std::vector<std::jthread> threads;
    {
      const std::lock_guard lock(mutex_);
      threads.swap(threads_);
    }
    for (std::jthread& each : threads) each.request_stop();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int port() const { return port_; }
  std::atomic<int> requests = 0;
  std::atomic<std::int64_t> bytes = 0;

 private:
  /// Waits until the socket can be read. Returns false if the server ends.
  static bool readable(int socket, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd ready{socket, POLLIN, 0};
      if (::poll(&ready, 1, 20) > 0) return true;
    }
    return false;
  }

  void accept_all(const std::stop_token& stop) {
    while (readable(listener_.get(), stop)) {
      const int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      const std::lock_guard lock(mutex_);
      if (stop.stop_requested()) {
        ::close(socket);
        return;
      }
      threads_.emplace_back(
          [this, socket](const std::stop_token& end) { serve_connection(FileDescriptor(socket), end); });
    }
  }

  void serve_connection(const FileDescriptor& socket, const std::stop_token& stop) {
    std::string text;
    while (readable(socket.get(), stop)) {
      char block[4096];
      const ssize_t count = ::recv(socket.get(), block, sizeof block, 0);
      if (count <= 0) return;
      text.append(block, static_cast<std::size_t>(count));
      for (std::size_t end = text.find("\r\n\r\n"); end != std::string::npos; end = text.find("\r\n\r\n")) {
        const WebRequest request = parse(text.substr(0, end));
        text.erase(0, end + 4);
        if (!answer(socket.get(), respond_(request), stop)) return;
      }
    }
  }

  WebRequest parse(const std::string& text) {
    std::istringstream lines(text);
    WebRequest request;
    std::string word;
    lines >> word >> request.path;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      std::string name = line.substr(0, colon);
      std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
      request.headers[name] = line.substr(colon + 2, line.find_last_not_of("\r\n") - colon - 1);
    }
    request.number = ++requests;
    return request;
  }

  /// Returns false if the connection must end.
  bool answer(int socket, const WebAnswer& what, const std::stop_token& stop) {
    if (what.stalls) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait(lock, stop, [] { return false; });  // until the server ends
      return false;
    }
    std::map<std::string, std::string> headers{{"Content-Length", std::to_string(what.body.size())}};
    for (const auto& [name, value] : what.headers) headers[name] = value;
    std::string text = "HTTP/1.1 " + std::to_string(what.status) + " Answer\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    const std::string_view body = std::string_view(what.body).substr(0, what.cut.value_or(what.body.size()));
    bytes += static_cast<std::int64_t>(body.size());
    text += "\r\n";
    text += body;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return !what.cut;
  }

  Respond respond_;
  FileDescriptor listener_;
  int port_ = 0;
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

WebServer::WebServer(Respond respond) : impl_(std::make_shared<Impl>(std::move(respond))) {}
WebServer::~WebServer() = default;

std::string WebServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(impl_->port()) + path;
}
int WebServer::requests() const { return impl_->requests; }
std::int64_t WebServer::bytes() const { return impl_->bytes; }

WebAnswer serve(const WebRequest& request, const std::string& content, const std::string& etag) {
  const auto range = request.headers.find("range");
  if (range == request.headers.end() || !range->second.starts_with("bytes="))
    return {.status = 200, .headers = {{"ETag", etag}}, .body = content};
  const std::string& text = range->second;
  const std::size_t dash = text.find('-');
  const std::size_t begin = std::stoull(text.substr(6, dash - 6));
  const std::size_t end = std::min<std::size_t>(content.size(), std::stoull(text.substr(dash + 1)) + 1);
  const std::string size = std::to_string(content.size());
  if (begin >= content.size()) return {.status = 416, .headers = {{"Content-Range", "bytes */" + size}}};
  const std::string sent = "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" + size;
  return {
      .status = 206, .headers = {{"ETag", etag}, {"Content-Range", sent}}, .body = content.substr(begin, end - begin)};
}

}  // namespace troupe_test
