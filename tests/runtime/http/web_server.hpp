#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe_test {

/// A request that a WebServer has received.
struct WebRequest {
  std::string path;                            ///< with the query
  std::map<std::string, std::string> headers;  ///< by name in lower case
  int number = 0;                              ///< counts the requests of this server, from 1 on
};

/// How a WebServer answers.
struct WebAnswer {
  int status = 200;
  std::map<std::string, std::string> headers = {};  ///< further headers, or other values of those that it sends itself
  std::string body = {};
  std::optional<std::size_t> cut = {};  ///< closes the connection after this number of bytes of the body
  bool stalls = false;                  ///< sends nothing, and keeps the connection open
};

/// A web server on a free port of 127.0.0.1, with a thread for each connection.
class WebServer {
 public:
  using Respond = std::function<WebAnswer(const WebRequest& request)>;

  explicit WebServer(Respond respond);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// Returns the URL of a path, which begins with a slash.
  std::string url(const std::string& path) const;
  int requests() const;
  /// Returns the number of bytes of all bodies.
  std::int64_t bytes() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

/// Answers a request for an object as a server does that provides ranges of bytes.
WebAnswer serve(const WebRequest& request, const std::string& content, const std::string& etag = "\"1\"");

}  // namespace troupe_test
