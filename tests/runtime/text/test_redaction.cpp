#include <doctest/doctest.h>

#include "runtime/redaction.hpp"
#include "troupe/error.hpp"

using namespace troupe;

TEST_CASE("queries, user names and passwords of URLs are replaced in texts") {
  CHECK(without_secrets("no address here? none: //") == "no address here? none: //");
  CHECK(without_secrets("https://host/a.tar") == "https://host/a.tar");
  CHECK(without_secrets("https://host/a.tar?key=secret") == "https://host/a.tar?...");
  CHECK(without_secrets("tar:https://host/a?k=s,test=https://host/b?k=s,size=3") ==
        "tar:https://host/a?...,test=https://host/b?...,size=3");
  CHECK(without_secrets("{\"data\":\"csv:http://h/a?b\",\"x\":1}") == "{\"data\":\"csv:http://h/a?...\",\"x\":1}");
  CHECK(without_secrets("see 'http://h?a=b' (http://h/c?d)") ==
        "see 'http://h?...' (http://h/c?...");  // a bracket may belong to the query
  CHECK(without_secrets("http://h/a?b(c)[d]<e>|f") == "http://h/a?...");
  CHECK(without_secrets("tar:s3://bucket/train-??.tar") == "tar:s3://bucket/train-??.tar");
  CHECK(without_secrets("https://user:word@host/a?b") == "https://...@host/a?...");
  CHECK(without_secrets("https://host/a@b?c") == "https://host/a@b?...");
  CHECK(without_secrets("http://") == "http://");
  CHECK(without_secrets("http://h/?") == "http://h/?...");
  CHECK(without_secrets("http://h/a?b://c?d") == "http://h/a?...");
}

TEST_CASE("an error contains no query of a URL") {
  const Error error(ErrorCode::bad_file, "cannot read https://host/a?key=secret",
                    {.object = "https://host/b?key=secret"});
  CHECK(std::string(error.what()) == "cannot read https://host/a?... (https://host/b?...");
  CHECK(error.message() == "cannot read https://host/a?...");
  CHECK(error.where().object == "https://host/b?...");
}
