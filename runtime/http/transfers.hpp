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
  bool follows = true;  ///< whether to follow redirects, at most five, never from https to http. Without the headers
};

/// What a server has answered.
struct HttpResponse {
  int status = 0;                                   ///< 0: the server has not answered
  std::map<std::string, std::string> headers = {};  ///< by name in lower case
  std::string failure = {};                         ///< why the response is missing or incomplete; empty if it is whole

  /// Returns the value of a header; empty if the response does not have it.
  std::string header(const std::string& name) const;
};

/// A request that `Transfers` carries out. All functions are called by the thread of `Transfers`, and must not block or
/// throw.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  virtual HttpRequest request() = 0;
  /// Receives the next bytes of the body. Returns false to end the transfer.
  /// @param response the status and the headers
  virtual bool take(const HttpResponse& response, std::span<const std::byte> bytes) = 0;
  /// The response has ended. Returns after which time the request must be made again; none if it must not.
  virtual std::optional<Clock::duration> end(const HttpResponse& response) = 0;
};

/// Numbers of this process since its start.
struct TransferTotals {
  std::int64_t requests = 0;
  std::int64_t retries = 0;
  std::int64_t bytes = 0;  ///< bytes of bodies
};

/// Makes HTTP requests in a thread that the whole process shares, over at most kMostConnections connections, which are
/// used again. Takes proxies from the environment (http_proxy, https_proxy, no_proxy), and certificates of authorities
/// from the file that CURL_CA_BUNDLE or SSL_CERT_FILE names. Does not connect to link-local addresses, at which clouds
/// provide credentials. A response whose speed is below 1 byte/s for 10 seconds has failed.
class Transfers {
 public:
  static constexpr int kMostConnections = 8;

  /// @throws Error limit_reached or system if the thread cannot be started
  static void start(std::shared_ptr<Transfer> transfer);
  static TransferTotals totals();
};

}  // namespace troupe
