#include "runtime/http/s3.hpp"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <sstream>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "runtime/hash.hpp"
#include "runtime/http/s3_listing.hpp"
#include "runtime/http/whole_read.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::uint64_t kMostCredentials = std::uint64_t{1} << 20;
constexpr std::size_t kMostObjects = 100'000;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string first_of(std::initializer_list<const char*> names, std::string otherwise) {
  for (const char* const name : names)
    if (std::string value = environment(name); !value.empty()) return value;
  return otherwise;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

/// Reads the values of one section of a file in the format of ~/.aws/credentials.
std::map<std::string, std::string> section_of(const std::string& path, const std::string& section) {
  std::map<std::string, std::string> values;
  std::istringstream lines(InputFile(path).read_text(kMostCredentials));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string text = trimmed(line);
    if (text.starts_with('[')) inside = text == "[" + section + "]";
    const std::size_t equal = text.find('=');
    if (inside && equal != std::string::npos && !text.starts_with('#'))
      values[trimmed(text.substr(0, equal))] = trimmed(text.substr(equal + 1));
  }
  return values;
}

void read_credentials(S3Account& account) {
  account.key = environment("AWS_ACCESS_KEY_ID");
  account.secret = environment("AWS_SECRET_ACCESS_KEY");
  account.token = environment("AWS_SESSION_TOKEN");
  if (!account.key.empty()) return;
  const std::string given = environment("AWS_SHARED_CREDENTIALS_FILE");
  const std::string file = given.empty() ? environment("HOME") + "/.aws/credentials" : given;
  std::error_code ignored;
  if (given.empty() && !std::filesystem::exists(file, ignored)) return;
  auto values = section_of(file, first_of({"AWS_PROFILE"}, "default"));
  account.key = values["aws_access_key_id"];
  account.secret = values["aws_secret_access_key"];
  account.token = values["aws_session_token"];
}

bool is_loopback(const std::string& host) {
  in_addr address{};
  return host == "localhost" || host == "[::1]" ||
         (::inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24U == 127);
}

using Digest = std::array<unsigned char, 32>;

Digest hmac(std::span<const unsigned char> key, std::string_view text) {
  Digest digest{};
  unsigned size = digest.size();
  if (::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size) == nullptr)
    throw Error(ErrorCode::system, "OpenSSL cannot sign a request");
  return digest;
}

std::string sha256_of(std::string_view text) { return sha256_hex(std::as_bytes(std::span(text))); }

std::string query_text(const std::map<std::string, std::string>& query) {
  std::string text;
  for (const auto& [name, value] : query)
    text.append(text.empty() ? "" : "&").append(percent_encoded(name)).append("=").append(percent_encoded(value));
  return text;
}

std::string time_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

/// Returns the key with which requests of a day are signed.
Digest signing_key(const S3Account& account, const std::string& day) {
  const std::string secret = "AWS4" + account.secret;
  Digest key = hmac({reinterpret_cast<const unsigned char*>(secret.data()), secret.size()}, day);
  for (const std::string_view text :
       {std::string_view(account.region), std::string_view("s3"), std::string_view("aws4_request")})
    key = hmac(key, text);
  return key;
}

/// Returns the request for a path of a bucket.
S3Request request_for(const S3Account& account, const std::string& bucket, const std::string& key) {
  const int usual_port = account.endpoint.scheme == "https" ? 443 : 80;  // which libcurl leaves out
  const bool has_port = account.endpoint.port > 0 && account.endpoint.port != usual_port;
  const std::string port = has_port ? ":" + std::to_string(account.endpoint.port) : "";
  S3Request request;
  const bool in_path = account.in_path || bucket.find('.') != std::string::npos;  // no certificate for such a name
  request.host = (in_path ? "" : bucket + ".") + account.endpoint.host + port;
  request.path = account.endpoint.path + (in_path ? "/" + bucket : "") + "/" + percent_encoded(key, '/');
  return request;
}

HttpRequest http_request(const S3Account& account, const S3Request& request) {
  HttpRequest made;
  const std::string query = query_text(request.query);
  made.url = account.endpoint.scheme + "://" + request.host + request.path + (query.empty() ? "" : "?" + query);
  if (!account.key.empty()) {
    made.headers = s3_signature(account, request, std::time(nullptr));
    made.follows = false;
  }
  return made;
}

}  // namespace

std::string percent_encoded(std::string_view text, char kept) {
  std::string encoded;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    constexpr std::string_view kHexDigits = "0123456789ABCDEF";
    const bool plain = (byte < 128 && std::isalnum(byte) != 0) || (kept != 0 && letter == kept);
    if (plain || letter == '-' || letter == '.' || letter == '_' || letter == '~')
      encoded += letter;
    else
      encoded += {'%', kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
  }
  return encoded;
}

S3Account S3Account::of_environment() {
  S3Account account;
  account.region = first_of({"AWS_REGION", "AWS_DEFAULT_REGION"}, "us-east-1");
  const std::string endpoint = first_of({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "");
  account.in_path = !endpoint.empty();
  account.endpoint = parse_url(endpoint.empty() ? "https://s3." + account.region + ".amazonaws.com" : endpoint);
  if (account.endpoint.scheme == "s3")
    throw Error(ErrorCode::invalid_argument, "AWS_ENDPOINT_URL must be the address of a server");
  while (account.endpoint.path.ends_with('/')) account.endpoint.path.pop_back();
  read_credentials(account);
  if (!account.key.empty() && account.endpoint.scheme != "https" && !is_loopback(account.endpoint.host))
    throw Error(ErrorCode::unsupported, "keys are sent over https only: AWS_ENDPOINT_URL names a server without TLS",
                {.object = account.endpoint.shown()});
  return account;
}

std::vector<std::string> s3_signature(const S3Account& account, const S3Request& request, std::int64_t seconds) {
  const std::string now = time_text(seconds);
  const std::string day = now.substr(0, 8);
  const std::string scope = day + "/" + account.region + "/s3/aws4_request";
  std::map<std::string, std::string> headers = request.headers;
  headers["host"] = request.host;
  headers["x-amz-content-sha256"] = sha256_of("");
  headers["x-amz-date"] = now;
  if (!account.token.empty()) headers["x-amz-security-token"] = account.token;
  std::string lines;
  std::string names;
  for (const auto& [name, value] : headers) {
    lines.append(name).append(":").append(value).append("\n");
    names.append(names.empty() ? "" : ";").append(name);
  }
  const std::string canonical = "GET\n" + request.path + "\n" + query_text(request.query) + "\n" + lines + "\n" +
                                names + "\n" + headers["x-amz-content-sha256"];
  const std::string text = "AWS4-HMAC-SHA256\n" + now + "\n" + scope + "\n" + sha256_of(canonical);
  std::vector<std::string> made{"Authorization: AWS4-HMAC-SHA256 Credential=" + account.key + "/" + scope +
                                ",SignedHeaders=" + names + ",Signature=" + hex(hmac(signing_key(account, day), text))};
  for (const auto& [name, value] : headers) {
    if (name == "host" || request.headers.contains(name)) continue;
    made.emplace_back(name).append(": ").append(value);
  }
  return made;
}

RemoteAddress s3_address(const Url& url) {
  auto account = std::make_shared<const S3Account>(S3Account::of_environment());
  const S3Request request = request_for(*account, url.host, url.path);
  return {url.shown(), [account, request](std::uint64_t begin, std::uint64_t end) {
            HttpRequest made = http_request(*account, request);
            made.begin = begin;
            made.end = end;
            return made;
          }};
}

std::vector<std::string> s3_objects(const Url& pattern) {
  const S3Account account = S3Account::of_environment();
  S3Request request = request_for(account, pattern.host, "");
  request.query = {{"list-type", "2"}, {"prefix", pattern.path.substr(0, pattern.path.find_first_of("*?["))}};
  const std::string bucket = "s3://" + pattern.host + "/";
  std::vector<std::string> objects;
  for (std::string more = "begin"; !more.empty();) {
    const S3Listing listing =
        s3_listing(pattern.shown(), read_whole(pattern.shown(), [&] { return http_request(account, request); }));
    for (const std::string& key : listing.keys)
      if (::fnmatch(pattern.path.c_str(), key.c_str(), FNM_PATHNAME) == 0 && !key.ends_with('/'))
        objects.push_back(bucket + key);
    if (listing.next == more || objects.size() > kMostObjects)
      throw_bad_file(pattern.shown(), "the server's list of objects does not end, or has more than " +
                                          std::to_string(kMostObjects) + " objects");
    request.query["continuation-token"] = more = listing.next;
  }
  if (objects.empty()) throw_bad_file(pattern.shown(), "no object matches this pattern");
  std::ranges::sort(objects);
  return objects;
}

}  // namespace troupe
