#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// The address of an object on a server.
struct Url {
  std::string scheme;  ///< "http", "https" or "s3"
  std::string host;    ///< the name or the address of the server; for s3: the bucket
  int port = 0;        ///< 0: the default port of the scheme
  std::string path;    ///< from the first slash on, with %-escapes; for s3: the key without escapes, without the slash
  std::string query = {};

  /// Returns the whole URL.
  std::string text() const;
  /// Returns the URL for messages: printable, and without the query, which may contain a secret.
  std::string shown() const;
};

/// Returns whether a name begins like a URL, such as "https://".
bool is_url(std::string_view name);

/// Returns the parts of a URL.
/// @throws Error invalid_argument if the scheme is not http, https or s3, or if the URL is malformed or contains a user
/// name or password. The message does not contain the password.
Url parse_url(const std::string& text);

}  // namespace troupe
