#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/clock.hpp"

namespace troupe {

/// A GET request.
struct HttpRequest {
  std::string url;
  std::vector<std::string> headers = {};  ///< such as "Name: value"
  std::uint64_t begin = 0;                ///< if `end` is not 0, only the bytes [begin, end) are requested
  std::uint64_t end = 0;
  bool follows = true;  ///< whether to follow redirects, at most five, from https to https only. A request with
                        ///< secrets in its headers must not
};

/// What a server has answered.
struct HttpResponse {
  int status = 0;                                   ///< 0: the server has not answered
  std::map<std::string, std::string> headers = {};  ///< by name in lower case
  std::string failure = {};                         ///< why the response is missing or incomplete; empty if it is whole
  bool is_final = false;                            ///< whether the same request would fail again

  /// Returns the value of a header; empty if the response does not have it.
  std::string header(const std::string& name) const;
};

/// A request that `Transfers` carries out. All functions are called by the thread of `Transfers`, and must not block.
/// `take` and `end` must not throw.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  /// Returns the request. If it throws, `end` receives the message as the failure.
  virtual HttpRequest request() = 0;
  /// Receives the next bytes of the body. Returns false to end the transfer.
  /// @param response the status and the headers
  virtual bool take(const HttpResponse& response, std::span<const std::byte> bytes) = 0;
  /// The response has ended. Returns after which time the request must be made again; none if it must not.
  virtual std::optional<Clock::duration> end(const HttpResponse& response) = 0;
};

/// When a transfer begins, if all connections are in use: before those that wait, or after them.
enum class Urgency : std::uint8_t { now, later };

/// Makes HTTP requests in a thread that the whole process shares, over at most kMostConnections connections, which are
/// used again. Takes proxies from the environment (http_proxy, https_proxy, all_proxy, no_proxy), except for this
/// machine, and certificates of authorities from the file that CURL_CA_BUNDLE or SSL_CERT_FILE names. Does not connect
/// to link-local addresses, at which clouds provide credentials; but a proxy may. A response that arrives at less than
/// 100 bytes/s for 10 seconds, or takes more than 5 minutes, has failed.
class Transfers {
 public:
  static constexpr int kMostConnections = 8;

  /// @throws Error limit_reached or system if the thread cannot be started
  static void start(std::shared_ptr<Transfer> transfer, Urgency urgency);
};

}  // namespace troupe
