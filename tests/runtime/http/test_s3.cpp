#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "runtime/http/open_bytes.hpp"
#include "runtime/http/s3.hpp"
#include "runtime/http/s3_listing.hpp"
#include "runtime/http/web_server.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr std::int64_t kDay = 1369353600;  // 2013-05-24

/// The account of the examples in "Signature Calculations for the Authorization Header" of the S3 reference.
S3Account example_account() {
  return {.endpoint = parse_url("https://s3.amazonaws.com"),
          .region = "us-east-1",
          .key = "AKIAIOSFODNN7EXAMPLE",
          .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
}

std::string signature_of(const S3Request& request) {
  const std::string header = s3_signature(example_account(), request, kDay).front();
  return header.substr(header.find("Signature=") + 10);
}

/// Variables of the environment for the lifetime of the object. Other variables of AWS are not set.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const char* const name : kNames) ::unsetenv(name);
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const char* const name : kNames) ::unsetenv(name);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static constexpr const char* kNames[] = {
      "AWS_ENDPOINT_URL",  "AWS_ENDPOINT_URL_S3", "AWS_REGION",  "AWS_ACCESS_KEY_ID",           "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION",  "AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "TROUPE_DATA_TIMEOUT"};
};

}  // namespace

TEST_CASE("signatures are those of the published examples") {
  const std::string host = "examplebucket.s3.amazonaws.com";
  CHECK(signature_of({.host = host, .path = "/test.txt", .headers = {{"range", "bytes=0-9"}}}) ==
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  CHECK(signature_of({.host = host, .path = "/", .query = {{"lifecycle", ""}}}) ==
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  CHECK(signature_of({.host = host, .path = "/", .query = {{"max-keys", "2"}, {"prefix", "J"}}}) ==
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST_CASE("text is escaped as signatures require") {
  CHECK(percent_encoded("a/b c~1-._*'(\xc3\xa9)", '/') == "a/b%20c~1-._%2A%27%28%C3%A9%29");
  CHECK(percent_encoded("a/b") == "a%2Fb");
}

TEST_CASE("objects of a bucket are listed and read with signed requests") {
  std::string refused;
  WebServer server([&](const WebRequest& request) -> WebAnswer {
    const auto signature = request.headers.find("authorization");
    if (signature == request.headers.end() || !signature->second.starts_with("AWS4-HMAC-SHA256 Credential=KEY/") ||
        request.headers.at("x-amz-security-token") != "TOKEN") {
      refused += request.path + "\n";
      return {.status = 403};
    }
    if (request.path == "/bucket/?list-type=2&prefix=train%2F")
      return {.body =
                  "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>true</IsTruncated>"
                  "<Contents><Key>train/b &amp; c.tar</Key></Contents><Contents><Key>train/x.txt</Key></Contents>"
                  "<NextContinuationToken>a/b=</NextContinuationToken></ListBucketResult>"};
    if (request.path == "/bucket/?continuation-token=a%2Fb%3D&list-type=2&prefix=train%2F")
      return {.body =
                  "<ListBucketResult><Contents><Key><![CDATA[train/a.tar]]></Key></Contents>"
                  "<Contents><Key>train/more/x.tar</Key></Contents></ListBucketResult>"};
    if (request.path == "/bucket/train/b%20%26%20c.tar") return serve(request, "content");
    return {.status = 404};
  });
  const Environment environment({{"AWS_ENDPOINT_URL", server.url("")},
                                 {"AWS_ACCESS_KEY_ID", "KEY"},
                                 {"AWS_SECRET_ACCESS_KEY", "SECRET"},
                                 {"AWS_SESSION_TOKEN", "TOKEN"}});
  const auto objects = s3_objects(parse_url("s3://bucket/train/*.tar"));
  CHECK(objects == std::vector<std::string>{"s3://bucket/train/a.tar", "s3://bucket/train/b & c.tar"});
  const auto file = open_bytes(objects[1]);
  CHECK(file->size() == 7);
  CHECK(file->path() == "s3://bucket/train/b & c.tar");
  CHECK(code_of([] { open_bytes("s3://bucket/train/none.tar"); }) == ErrorCode::bad_file);
  CHECK(code_of([] { s3_objects(parse_url("s3://bucket/train/*.npy")); }) == ErrorCode::bad_file);
  CHECK(refused.empty());
}

TEST_CASE("without keys, requests are not signed") {
  const TemporaryFolder empty;
  WebServer server([](const WebRequest& request) -> WebAnswer {
    if (request.headers.contains("authorization")) return {.status = 400};
    return serve(request, "public");
  });
  const Environment environment(
      {{"AWS_ENDPOINT_URL_S3", server.url("/prefix/")}, {"AWS_SHARED_CREDENTIALS_FILE", empty / "credentials"}});
  std::ofstream(empty / "credentials") << "[other]\naws_access_key_id = A\n";
  CHECK(open_bytes("s3://bucket/key")->size() == 6);
}

TEST_CASE("keys come from a section of a file, and are sent over https only") {
  const TemporaryFolder folder;
  const std::string file = folder / "credentials";
  std::ofstream(file) << "# comment\n[default]\naws_access_key_id=A\naws_secret_access_key = B\n\n[two]\n"
                         "aws_access_key_id = C\naws_secret_access_key = D=\naws_session_token=E\n";
  {
    const Environment environment({{"AWS_SHARED_CREDENTIALS_FILE", file}, {"AWS_REGION", "eu-north-1"}});
    const S3Account account = S3Account::of_environment();
    CHECK(account.endpoint.text() == "https://s3.eu-north-1.amazonaws.com");
    CHECK_FALSE(account.in_path);
    CHECK(account.key == "A");
    CHECK(account.secret == "B");
  }
  const auto with = [&](const std::string& endpoint) {
    const Environment environment(
        {{"AWS_SHARED_CREDENTIALS_FILE", file}, {"AWS_PROFILE", "two"}, {"AWS_ENDPOINT_URL", endpoint}});
    return S3Account::of_environment();
  };
  const S3Account account = with("https://minio.example:9000/");
  CHECK(account.key == "C");
  CHECK(account.secret == "D=");
  CHECK(account.token == "E");
  CHECK(account.in_path);
  CHECK(code_of([&] { with("http://minio.example:9000"); }) == ErrorCode::unsupported);
  CHECK(code_of([&] { with("http://127.0.0.1.example"); }) == ErrorCode::unsupported);
  CHECK(with("http://127.0.0.1:9000").key == "C");
  CHECK(code_of([&] { with("s3://bucket"); }) == ErrorCode::invalid_argument);
  const Environment missing({{"AWS_SHARED_CREDENTIALS_FILE", folder / "none"}});
  CHECK(code_of([] { S3Account::of_environment(); }) == ErrorCode::bad_file);
}

TEST_CASE("a signed request follows no redirect") {
  int elsewhere = 0;
  WebServer other([&](const WebRequest& request) {
    ++elsewhere;
    return serve(request, "stolen");
  });
  WebServer server([&](const WebRequest&) {
    return WebAnswer{.status = 307, .headers = {{"Location", other.url("/key")}}};
  });
  const Environment environment(
      {{"AWS_ENDPOINT_URL", server.url("")}, {"AWS_ACCESS_KEY_ID", "KEY"}, {"AWS_SECRET_ACCESS_KEY", "SECRET"}});
  CHECK(code_of([] { open_bytes("s3://bucket/key"); }) == ErrorCode::bad_file);
  CHECK(elsewhere == 0);
}

TEST_CASE("a malformed list of objects is an error") {
  for (const char* const xml : {"", "<html>", "<ListBucketResult>", "{}", "<Other/>",
                                "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"})
    CHECK(code_of([&] { s3_listing("s3://bucket", xml); }) == ErrorCode::bad_file);
}
