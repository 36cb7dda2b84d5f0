#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/remote_file.hpp"
#include "runtime/http/url.hpp"

namespace troupe {

/// How this process reads from S3, or from another service with the same interface. Comes from the environment of the
/// process alone: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION, AWS_ACCESS_KEY_ID,
/// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; or from the section AWS_PROFILE ("default") of the file
/// AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials).
struct S3Account {
  Url endpoint;          ///< the server; with a bucket in its path if `in_path`
  bool in_path = false;  ///< whether buckets are in the path of URLs; otherwise they are part of the server's name
  std::string region;
  std::string key;  ///< empty: requests are not signed
  std::string secret = {};
  std::string token = {};

  /// @throws Error invalid_argument for a malformed endpoint; bad_file if the file of credentials cannot be read;
  /// unsupported if keys would be sent without TLS to another machine
  static S3Account of_environment();
};

/// A request as the signature sees it.
struct S3Request {
  std::string host;                                 ///< the header Host
  std::string path;                                 ///< with %-escapes
  std::map<std::string, std::string> query = {};    ///< names and values without escapes
  std::map<std::string, std::string> headers = {};  ///< further headers that are signed, by name in lower case
};

/// Returns the headers of a GET request with a signature of version 4, except those in `request`.
/// @param seconds the time in seconds since 1970
std::vector<std::string> s3_signature(const S3Account& account, const S3Request& request, std::int64_t seconds);

/// Returns how to request an object.
/// @param url has the scheme s3
RemoteAddress s3_address(const Url& url);

/// Returns the URLs of all objects of a bucket that match a pattern, in order of their keys. In the key of the pattern,
/// `*`, `?` and `[...]` have the same meaning as in the shell. Keys that end with a slash are left out.
/// @throws Error bad_file if no object matches, or the bucket cannot be listed; also as RemoteFile
std::vector<std::string> s3_objects(const Url& pattern);

/// Returns the text with %-escapes for all bytes except letters, digits and "-._~".
/// @param kept a further character that stays
std::string percent_encoded(std::string_view text, char kept = 0);

}  // namespace troupe
