#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "models/files/checkpoints.hpp"
#include "runtime/hash.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

CheckpointManifest whole_manifest() {
  CheckpointManifest manifest = example_manifest(12);
  manifest.troupe = "1.2.3";
  manifest.fingerprint = fingerprint_of(kCheckpointTensors);
  manifest.weights_file = {100, 0xabc, {{"a.weight", 1}, {"b", ~0ULL}}};
  manifest.state_file = {200, 0xdef, {{"m/b", 2}}};
  manifest.metric = {0.5, kHighest};
  manifest.learning_rate = 0.25;
  return manifest;
}

/// Returns the manifest in one line, with `from` replaced by `to` and a correct checksum.
std::string altered(const std::string& from, const std::string& to) {
  std::string text;
  for (const char c : to_json(whole_manifest()))
    if (c != '\n' && c != ' ') text += c;
  const std::size_t sum = text.find(R"("checksum")");
  text.erase(sum, std::string(R"("checksum":"0123456789abcdef",)").size());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const std::string digits = hex(checksum(std::as_bytes(std::span(text))));
  return text.insert(1, R"("checksum":")" + digits + R"(",)");
}

void check_refused(const std::string& what, const std::string& text) {
  CAPTURE(text);
  check_throws(ErrorCode::bad_file, what, [&] { manifest_from_json("dir/manifest.json", text); });
  check_throws(ErrorCode::bad_file, "dir/manifest.json", [&] { manifest_from_json("dir/manifest.json", text); });
}

}  // namespace

TEST_CASE("a manifest is read as it was written") {
  CHECK(manifest_from_json("", to_json(whole_manifest())) == whole_manifest());
  CHECK(manifest_from_json("", altered("cifar10", "mnist")).data == "mnist");
  CheckpointManifest plain = whole_manifest();
  plain.config = "";
  plain.state = {};
  plain.state_file = {};
  plain.precision = Precision::f32;
  plain.statistics = false;
  CHECK(manifest_from_json("", to_json(plain)) == plain);
  plain.metric = {0.1 + 0.2, kLowest};
  CHECK(manifest_from_json("", to_json(plain)) == plain);
  plain.learning_rate = {};
  CHECK(manifest_from_json("", to_json(plain)) == plain);
  plain.bf16_given_up = true;
  CHECK(manifest_from_json("", to_json(plain)) == plain);
  plain.computed_by = "onednn-2.6.0-isa1-f32-0123";
  CHECK(manifest_from_json("", to_json(plain)) == plain);
}

TEST_CASE("a manifest with a missing field is refused, and the error names the field") {
  const auto lacks = [](const std::string& name, const std::string& field) {
    check_refused("'" + name + "' is missing", altered(field, ""));
  };
  lacks("updates", R"(,"updates":11)");
  lacks("step", R"("step":12,)");
  lacks("num_shards", R"("num_shards":64,)");
  lacks("seed", R"("seed":18446744073709551615,)");
  lacks("precision", R"("precision":"bf16",)");
  lacks("state", R"("state":["m","v"],)");
  lacks("troupe", R"("troupe":"1.2.3",)");
  lacks("model.statistics", R"(,"statistics":true)");
  lacks("model.name", R"("name":"resnet",)");
  lacks("data.samples", R"(,"samples":50000)");
  lacks("files.state.safetensors.bytes", R"("bytes":200,)");
  lacks("metric.value", R"(,"value":0.5)");
  lacks("metric.best", R"("best":"highest",)");
}

TEST_CASE("a manifest with an invalid field is refused, and the error names the field") {
  const auto absurd = [](const std::string& name, const std::string& from, const std::string& to) {
    check_refused("'" + name + "' has an invalid value", altered(from, to));
  };
  absurd("step", R"("step":12)", R"("step":-12)");
  absurd("step", R"("step":12)", R"("step":1.5)");
  absurd("step", R"("step":12)", R"("step":9223372036854775808)");
  absurd("step", R"("step":12)", R"("step":"12")");
  absurd("updates", R"("updates":11)", R"("updates":1300)");
  absurd("num_shards", R"("num_shards":64)", R"("num_shards":0)");
  absurd("num_shards", R"("num_shards":64)", R"("num_shards":4294967297)");
  for (const char* rate : {"-0.25", "1e+39", "\"0.25\"", "[]"})
    absurd("learning_rate", R"("learning_rate":0.25)", std::string(R"("learning_rate":)") + rate);
  absurd("seed", "18446744073709551615", "[1]");
  absurd("precision", R"("bf16")", R"("f16")");
  absurd("bf16_given_up", R"({"data":)", R"({"bf16_given_up":true,"data":)");
  absurd("bf16_given_up", R"({"data":)", R"({"bf16_given_up":false,"data":)");
  absurd("model.fingerprint", R"("fingerprint":")", R"("fingerprint":"0)");
  absurd("model.statistics", "true", "1");
  absurd("data.samples", "50000", "-1");
  absurd("metric.value", R"("value":0.5)", R"("value":"0.5")");
  absurd("metric.best", R"("highest")", R"("middle")");
  absurd("state", R"(["m","v"])", R"(["m","m"])");
  absurd("state", R"(["m","v"])", R"(["m",""])");
  absurd("state", R"(["m","v"])", R"(["m",3])");
  absurd("state", R"(["m","v"])", R"("m")");
  absurd("files.weights.safetensors.tensors.b", "ffffffffffffffff", "fffffffffffffffg");
  absurd("files.weights.safetensors.tensors.b", "ffffffffffffffff", "ffff");
  absurd("files.weights.safetensors.header", "0000000000000abc", "0000000000000ABC");
}

TEST_CASE("a manifest with unknown fields or of another format is refused") {
  check_refused("'cores' is unknown", altered(R"("data":)", R"("cores":8,"data":)"));
  check_refused("'model.cores' is unknown", altered(R"("fingerprint":)", R"("cores":8,"fingerprint":)"));
  check_refused("'files.state.safetensors' is unknown", altered(R"(["m","v"])", "[]"));
  check_refused("has format 2; this version of Troupe reads format 1", altered(R"("format":1)", R"("format":2)"));
  check_refused("not the manifest of a checkpoint", altered(R"("format":1)", R"("format":"1")"));
  check_refused("not the manifest of a checkpoint", "{}");
  check_refused("not the manifest of a checkpoint", "[1]");
  check_refused("'checksum' is missing", R"({"format":1})");
  check_refused("not JSON", "");
  check_refused("twice", R"({"format":1,"format":1})");
  check_refused("nested deeper than", std::string(100'000, '['));
  check_refused("too large", std::string((16 << 20) + 1, ' '));
}

TEST_CASE("a manifest file must be byte-identical to the written one") {
  const TemporaryFolder folder;
  save(folder / "c", 1);
  CHECK(read_manifest(folder / "c").step == 1);
  write_file(folder / "c/manifest.json", read_file(folder / "c/manifest.json") + "\n");
  check_throws(ErrorCode::bad_file, "manifest.json", [&] { read_manifest(folder / "c"); });
  check_throws(ErrorCode::bad_file, "the text has been changed", [&] { read_manifest(folder / "c"); });
}

TEST_CASE("a fingerprint depends on names, shapes and their order") {
  const std::string one = fingerprint_of({{"a", {1, 2}}, {"b", {3}}});
  CHECK(one.size() == 64);
  CHECK(one != fingerprint_of({{"b", {3}}, {"a", {1, 2}}}));
  CHECK(one != fingerprint_of({{"a", {12}}, {"b", {3}}}));
  CHECK(one != fingerprint_of({{"a", {1, 2}}, {"c", {3}}}));
  CHECK(one != fingerprint_of({{"a", {1, 2}}}));
}
