#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/json/bounded_json.hpp"

using nlohmann::json;
using troupe::JsonBounds;
using troupe::parse_bounded;

namespace {

std::string fault_of(const std::string& text, const JsonBounds& bounds = {}) {
  std::string fault;
  const json parsed = parse_bounded(text, bounds, fault);
  CHECK(parsed.is_discarded() == !fault.empty());
  return fault;
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("valid JSON is parsed as by the library's own parser") {
  for (const char* const text :
       {"null", "true", "-3", "18446744073709551615", "0.1", "1e300", R"("a\u00e4\n")", "[]", "{}", "[[],{},[1,[2]]]",
        R"({"b":1,"a":{"c":[null,false,{"d":""}]},"e":-0.0})", " [ 1 , 2 ] "}) {
    CAPTURE(text);
    CHECK(parse_bounded(text) == json::parse(text));
    CHECK(parse_bounded(text).dump() == json::parse(text).dump());
  }
}

TEST_CASE("the error about invalid JSON contains the position") {
  for (const char* const text : {"", "[", "{", "{\"a\"}", "[1,]", "nul", "1 2", "\"\xff\"", "[1}", "{\"a\":1", "tru"})
    CHECK(fault_of(text).starts_with("is not JSON"));
  CHECK(fault_of("[1,2,x]") == "is not JSON at byte 6");
}

TEST_CASE("nesting depth, repeated keys and memory are limited") {
  CHECK(fault_of("[[[1]]]", {.deepest = 3}).empty());
  CHECK(fault_of("[[[1]]]", {.deepest = 2}) == "is nested deeper than 2 levels");
  CHECK(fault_of(std::string(10'000'000, '[')) == "is nested deeper than 100 levels");
  CHECK(fault_of(repeated("{\"a\":", 1'000'000)) == "is nested deeper than 100 levels");
  CHECK(fault_of(R"({"a":1,"b":{"a":2},"a":3})") == "has the key 'a' twice");
  std::string fault;
  CHECK(parse_bounded(R"({"a":1,"a":3})", {.keys_may_repeat = true}, fault) == json{{"a", 3}});
  CHECK(fault_of("[" + repeated("[],", 1'000'000) + "1]") == "takes more than 64 MB of memory");
  CHECK(fault_of("[" + repeated("1,", 1000) + "1]", {.memory = 20'000}) == "takes more than 0 MB of memory");
  CHECK(fault_of("\"" + std::string(2000, 'x') + "\"", {.memory = 1000}).starts_with("takes more than"));
}

TEST_CASE("parsing many keys is fast, although a parser with a callback would take a minute") {
  constexpr std::size_t kKeys = 80'000;
  std::string text = "{";
  for (std::size_t i = 0; i < kKeys; ++i)
    text += (i > 0 ? ",\"key" : "\"key") + std::to_string(i) + R"(":{"shape":[1,2],"data_offsets":[0,8]})";
  std::string fault;
  CHECK(parse_bounded(text + "}", {.memory = std::size_t{1} << 30}, fault).size() == kKeys);
  CHECK(fault.empty());
}
