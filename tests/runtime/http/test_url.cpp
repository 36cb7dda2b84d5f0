#include <doctest/doctest.h>

#include "runtime/http/url.hpp"
#include "support/errors.hpp"

using namespace troupe;

TEST_CASE("a URL has a scheme, a host, a port, a path and a query") {
  const Url url = parse_url("HTTPS://Example.org:8443/a/b%20c.tar?key=secret#part");
  CHECK(url.scheme == "https");
  CHECK(url.host == "Example.org");
  CHECK(url.port == 8443);
  CHECK(url.path == "/a/b%20c.tar");
  CHECK(url.query == "key=secret");
  CHECK(url.text() == "https://Example.org:8443/a/b%20c.tar?key=secret");
  CHECK(url.shown() == "https://Example.org:8443/a/b%20c.tar");
  CHECK(parse_url("http://127.0.0.1/").port == 0);
}

TEST_CASE("a URL of S3 has a bucket and a key without escapes") {
  const Url url = parse_url("s3://bucket/train/a b%20?.tar");
  CHECK(url.host == "bucket");
  CHECK(url.path == "train/a b%20?.tar");
  CHECK(parse_url("s3://bucket").path.empty());
  CHECK(url.text() == "s3://bucket/train/a b%20?.tar");
}

TEST_CASE("names of files are not URLs") {
  CHECK(is_url("https://a/b"));
  CHECK(is_url("ftp://a/b"));
  for (const char* const name : {"a/b.tar", "C:/a", "://a", "/data/x://y", "pipe:curl http://a/b", ""})
    CHECK_FALSE(is_url(name));
}

TEST_CASE("URLs that are not valid are refused, without their secrets") {
  for (const char* const text :
       {"ftp://server/secret", "file:///etc/secret", "gopher://server/", "http://", "s3:///key",
        "s3://bucket:secret@host/key", "s3://../key", "s3://bucket./key", "http://user:secret@server/a",
        "https://secret@server/", "http://server:99999/", "http://a b/secret?x"}) {
    CAPTURE(text);
    CHECK(code_of([&] { parse_url(text); }) == ErrorCode::invalid_argument);
  }
  const auto said = message_of([] { parse_url("https://me:hunter2@server/path?token=hunter3"); });
  CHECK(said.find("hunter") == std::string::npos);
  CHECK(said.find("https://server/path") != std::string::npos);
}
