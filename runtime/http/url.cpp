#include "runtime/http/url.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::string_view kSeparator = "://";
constexpr std::size_t kLongestShown = 500;

/// Returns the characters of `name` before "://"; empty if these are not the name of a scheme.
std::string_view scheme_of(std::string_view name) {
  const std::string_view scheme = name.substr(0, std::min(name.find(kSeparator), name.size()));
  const bool valid =
      scheme.size() < name.size() && !scheme.empty() && std::ranges::all_of(scheme, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '+' || letter == '-' || letter == '.';
      });
  return valid ? scheme : std::string_view();
}

/// Returns the URL without everything that may be a secret.
std::string harmless(std::string_view text) {
  std::string shown(text.substr(0, text.find_first_of("?#")));
  const std::size_t host = shown.find(kSeparator) + kSeparator.size();
  const std::size_t at = shown.find_last_of('@', shown.find('/', host));
  if (at != std::string::npos && at > host) shown.erase(host, at + 1 - host);
  return printable(shown, kLongestShown);
}

class ParsedUrl {
 public:
  explicit ParsedUrl(const std::string& text) : url_(::curl_url()) {
    if (!url_) throw std::bad_alloc();
    if (::curl_url_set(url_.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
      throw_invalid("'" + harmless(text) + "' is not a valid URL");
  }
  /// Returns a part of the URL; empty if the URL does not have it.
  std::string part(CURLUPart which) const {
    char* value = nullptr;
    if (::curl_url_get(url_.get(), which, &value, 0) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&::curl_free)> owner(value, &::curl_free);
    return value;
  }

 private:
  struct Free {
    void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
  };

  std::unique_ptr<CURLU, Free> url_;
};

Url parse_s3(const std::string& text) {
  const std::string rest = text.substr(text.find(kSeparator) + kSeparator.size());
  const std::size_t slash = rest.find('/');
  Url url{
      .scheme = "s3", .host = rest.substr(0, slash), .path = slash == std::string::npos ? "" : rest.substr(slash + 1)};
  const bool has_ends = !url.host.empty() && url.host.front() != '.' && url.host.back() != '.';
  const bool valid = has_ends && std::ranges::all_of(url.host, [](char letter) {
                       return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '.';
                     });
  if (!valid) throw_invalid("'" + harmless(text) + "' does not name a bucket: write s3://BUCKET/KEY");
  return url;
}

}  // namespace

std::string Url::text() const {
  if (scheme == "s3") return "s3://" + host + "/" + path;
  return scheme + "://" + host + (port > 0 ? ":" + std::to_string(port) : "") + path +
         (query.empty() ? "" : "?" + query);
}

std::string Url::shown() const { return printable(Url{scheme, host, port, path}.text(), kLongestShown); }

bool is_url(std::string_view name) { return !scheme_of(name).empty(); }

Url parse_url(const std::string& text) {
  std::string scheme(scheme_of(text));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (scheme != "http" && scheme != "https" && scheme != "s3")
    throw_invalid("'" + harmless(text) + "' has another scheme than http, https and s3");
  if (scheme == "s3") return parse_s3(text);
  const ParsedUrl parsed(text);
  if (!parsed.part(CURLUPART_USER).empty() || !parsed.part(CURLUPART_PASSWORD).empty())
    throw_invalid("'" + harmless(text) + "' contains a user name or a password, which would appear in logs and files");
  Url url{.scheme = scheme,
          .host = parsed.part(CURLUPART_HOST),
          .path = parsed.part(CURLUPART_PATH),
          .query = parsed.part(CURLUPART_QUERY)};
  const std::string port = parsed.part(CURLUPART_PORT);
  std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (url.host.empty()) throw_invalid("'" + harmless(text) + "' names no server");
  return url;
}

}  // namespace troupe
