#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <set>

#include "runtime/http/open_bytes.hpp"
#include "runtime/http/remote_file.hpp"
#include "runtime/http/web_server.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>((i * 2654435761U) >> 13U);
  return text;
}

std::string read(const ByteSource& source, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  source.read(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

/// Sets the time after which reads fail, for the lifetime of the object.
struct Patience {
  explicit Patience(const char* seconds) { ::setenv("TROUPE_DATA_TIMEOUT", seconds, 1); }
  ~Patience() { ::unsetenv("TROUPE_DATA_TIMEOUT"); }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
};

/// Returns what a read of the first 100 bytes of an object throws, if the server answers so after the first request.
std::optional<ErrorCode> code_for(const WebAnswer& answer) {
  const Patience patience("0.3");
  WebServer server(
      [&](const WebRequest& request) { return request.number == 1 ? serve(request, pattern(1000)) : answer; });
  const auto file = open_bytes(server.url("/object"));
  return code_of([&] { read(*file, 0, 100); });
}

}  // namespace

TEST_CASE("an object on a server is read by ranges, a long read over several connections") {
  const std::string content = pattern(std::size_t{9} << 20);
  WebServer server([&](const WebRequest& request) { return serve(request, content); });
  const auto file = open_bytes(server.url("/train.tar?token=secret"));
  CHECK(file->size() == content.size());
  CHECK(file->path() == server.url("/train.tar"));
  CHECK(server.bytes() == 1);
  CHECK(read(*file, 5, 100) == content.substr(5, 100));
  CHECK(read(*file, 0, content.size()) == content);
  CHECK(server.bytes() == 1 + 100 + (std::int64_t{9} << 20));
  CHECK(server.requests() == 2 + 3);
  CHECK(code_of([&] { read(*file, content.size() - 1, 2); }) == ErrorCode::bad_file);
  file->check_unchanged();
}

TEST_CASE("errors that may pass are repeated, and a read continues where it was cut") {
  const std::string content = pattern(50'000);
  for (const WebAnswer& fault : {WebAnswer{.status = 500}, WebAnswer{.status = 503, .body = "busy"},
                                 WebAnswer{.status = 429}, WebAnswer{.status = 408}}) {
    WebServer server(
        [&](const WebRequest& request) { return request.number % 3 == 0 ? serve(request, content) : fault; });
    const auto file = open_bytes(server.url("/a"));
    CHECK(read(*file, 10, 20'000) == content.substr(10, 20'000));
    CHECK(server.requests() == 6);
  }
  std::set<std::string> ranges;
  WebServer server([&](const WebRequest& request) {
    ranges.insert(request.headers.at("range"));
    WebAnswer answer = serve(request, content);
    if (request.number > 1) answer.cut = 12'000;
    return answer;
  });
  const auto file = open_bytes(server.url("/a"));
  CHECK(read(*file, 0, 30'000) == content.substr(0, 30'000));
  CHECK(ranges == std::set<std::string>{"bytes=0-0", "bytes=0-29999", "bytes=12000-29999", "bytes=24000-29999"});
}

TEST_CASE("a server that stays silent, or refuses, or sends other bytes is a typed error that names the object") {
  CHECK(code_for({.status = 404}) == ErrorCode::bad_file);
  CHECK(code_for({.status = 403}) == ErrorCode::bad_file);
  CHECK(code_for({.status = 500}) == ErrorCode::timeout);
  CHECK(code_for({.status = 200, .body = pattern(1000)}) == ErrorCode::unsupported);
  const auto with = [](const std::string& range, const std::string& etag, std::size_t size) {
    return WebAnswer{.status = 206, .headers = {{"Content-Range", range}, {"ETag", etag}}, .body = pattern(size)};
  };
  CHECK(code_for(with("bytes 0-99/1000", "\"1\"", 200)) == ErrorCode::bad_file);  // more bytes than requested
  CHECK(code_for(with("bytes 1-100/1000", "\"1\"", 100)) == ErrorCode::bad_file);
  CHECK(code_for(with("bytes 0-99/2000", "\"1\"", 100)) == ErrorCode::bad_file);
  CHECK(code_for(with("bytes 0-99/1000", "\"2\"", 100)) == ErrorCode::bad_file);  // another version
  CHECK(code_for(with("bytes 0-99/*", "\"1\"", 100)) == ErrorCode::bad_file);
  CHECK(code_for(with("", "\"1\"", 100)) == ErrorCode::bad_file);
  // Half of the bytes; then, when the other half is requested, the same again.
  CHECK(code_for(with("bytes 0-99/1000", "\"1\"", 50)) == ErrorCode::bad_file);
  WebAnswer packed = with("bytes 0-99/1000", "\"1\"", 100);
  packed.headers["Content-Encoding"] = "gzip";
  CHECK(code_for(packed) == ErrorCode::bad_file);

  WebServer server([](const WebRequest&) { return WebAnswer{.status = 404}; });
  try {
    open_bytes(server.url("/missing.tar?key=secret"));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.where().object == server.url("/missing.tar"));
    CHECK(std::string(error.what()).find("404") != std::string::npos);
  }
}

TEST_CASE("a server that cannot be reached is a typed error") {
  const Patience patience("0.2");
  CHECK(code_of([] { open_bytes("http://127.0.0.1:1/a"); }) == ErrorCode::timeout);
  CHECK(code_of([] { open_bytes("http://no-such-host.invalid/a"); }) == ErrorCode::timeout);
  for (const char* const url : {"http://169.254.169.254/latest", "http://[fe80::1]/a", "http://[fd00:ec2::254]/a",
                                "http://[::ffff:169.254.169.254]/a"})
    CHECK(code_of([&] { open_bytes(url); }) == ErrorCode::timeout);
}

TEST_CASE("redirects are followed within http, and not to other schemes") {
  const std::string content = pattern(1000);
  WebServer server([&](const WebRequest& request) {
    if (request.path == "/moved") return WebAnswer{.status = 302, .headers = {{"Location", "/here"}}};
    if (request.path == "/file") return WebAnswer{.status = 302, .headers = {{"Location", "file:///etc/passwd"}}};
    if (request.path == "/circle") return WebAnswer{.status = 302, .headers = {{"Location", "/circle"}}};
    return serve(request, content);
  });
  CHECK(read(*open_bytes(server.url("/moved")), 1, 10) == content.substr(1, 10));
  const Patience patience("0.2");
  CHECK_THROWS_AS(open_bytes(server.url("/file")), Error);
  CHECK_THROWS_AS(open_bytes(server.url("/circle")), Error);
}

TEST_CASE("an object that changes during a run is an error") {
  std::atomic<int> version = 1;
  WebServer server(
      [&](const WebRequest& request) { return serve(request, pattern(1000), "\"" + std::to_string(version) + "\""); });
  const auto file = open_bytes(server.url("/a"));
  const auto again = open_bytes(server.url("/a"));
  CHECK(again->modified() == file->modified());
  version = 2;
  CHECK(message_of([&] { file->check_unchanged(); }).find("has changed") != std::string::npos);
  CHECK(open_bytes(server.url("/a"))->modified() != file->modified());
}

TEST_CASE("a read may be given up while it is made") {
  WebServer server([](const WebRequest& request) {
    WebAnswer answer = serve(request, pattern(1000));
    answer.stalls = request.number > 1;
    return answer;
  });
  const auto file = std::dynamic_pointer_cast<const RemoteFile>(open_bytes(server.url("/a")));
  REQUIRE(file);
  std::vector<std::byte> bytes(100);
  const RemoteRead read(*file, 0, bytes, Urgency::later);
}
