#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "models/files.hpp"
#include "models/files/network_text.hpp"
#include "models/files/safetensors_file.hpp"
#include "models/files/weight_file.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

NetworkText example() {
  return {
      .model = "",
      .layers = {{"0", "flatten", {-1}, {}},
                 {"fc", "linear", {0}, {{"outputs", 2}}},
                 {"", "dropout", {1}, {{"probability", 0.25}}}},
      .data = {.shape = {1, 2, 3}, .num_classes = 2, .class_names = {"Hemd", "Schuh \"ö\""}, .byte_scale = 1.0F / 255},
      .loss = "softmax-cross-entropy"};
}

void check_refused(const std::function<void(nlohmann::ordered_json&)>& change) {
  auto json = nlohmann::ordered_json::parse(to_json(example()));
  change(json);
  CAPTURE(json.dump());
  check_throws(ErrorCode::bad_file, "a.safetensors", [&] { network_from_json("a.safetensors", json.dump()); });
}

}  // namespace

TEST_CASE("a network description is read as it was written") {
  const NetworkText wanted = example();
  const std::string text = to_json(wanted);
  const NetworkText read = network_from_json("a", text);
  CHECK(read.layers == wanted.layers);
  CHECK(read.loss == wanted.loss);
  CHECK(read.data.shape == wanted.data.shape);
  CHECK(read.data.num_classes == 2);
  CHECK(read.data.class_names == wanted.data.class_names);
  CHECK(static_cast<float>(read.data.byte_scale) == 1.0F / 255);
  CHECK(to_json(read) == text);
}

TEST_CASE("unprintable characters in names are replaced, and targets have names") {
  NetworkText odd = example();
  odd.data.class_names = {"M\xFCnchen", "a\tb"};
  CHECK(network_from_json("a", to_json(odd)).data.class_names == std::vector<std::string>{"M?nchen", "a b"});
  NetworkText targets = example();
  targets.data.class_names = {};
  targets.data.num_classes = 0;
  targets.data.num_targets = 2;
  targets.data.target_names = {"height", "width"};
  CHECK(network_from_json("a", to_json(targets)).data.target_names == targets.data.target_names);
  check_refused([](auto& json) { json["target_names"] = {"a"}; });
}

TEST_CASE("transforms of samples are stored, regardless of their length") {
  NetworkText wanted = example();
  wanted.data.source_shape = {1, 4, 6};
  wanted.data.transforms = "crop 3, normalise 0.25 0.5";
  for (int i = 0; i < 100'000; ++i) wanted.data.transforms += ", flip";
  const NetworkText read = network_from_json("a", to_json(wanted));
  CHECK(read.data.transforms == wanted.data.transforms);
  CHECK(read.data.source_shape == wanted.data.source_shape);
  check_refused([](auto& json) { json["transforms"] = "flip"; });
  check_refused([](auto& json) { json["transforms"] = "flip", json["source_shape"] = {0}; });
  check_refused([](auto& json) { json["transforms"] = 1, json["source_shape"] = {1, 2, 3}; });
}

TEST_CASE("the encoding of a table or a text is read as it was written") {
  using Role = InputColumn::Role;
  NetworkText wanted = example();
  wanted.data.encoding.columns = {{.name = "id", .role = Role::ignored},
                                  {.name = "city", .is_text = true, .categories = {"Köln", "a\tb", "\u200b", "1,5"}},
                                  {.name = "age", .fill = 0.1F},
                                  {.name = "price", .role = Role::target},
                                  {.name = "kind", .role = Role::label, .is_text = true, .categories = {"x\ty", "z"}}};
  CHECK(network_from_json("a", to_json(wanted)).data.encoding == wanted.data.encoding);
  CHECK(network_from_json("a", to_json(wanted)).knows_inputs);
  NetworkText text = example();
  text.data.encoding = {.columns = {}, .symbols = {0, 10, 0x1F600}, .symbols_are_bytes = false};
  CHECK(network_from_json("a", to_json(text)).data.encoding == text.data.encoding);

  auto old = nlohmann::json::parse(to_json(wanted));
  old.erase("inputs");
  CHECK_FALSE(network_from_json("a", old.dump()).knows_inputs);
  wanted.data.encoding.columns[1].categories.resize(100'000, "Timbuktu and its surroundings");
  CHECK_FALSE(network_from_json("a", to_json(wanted)).knows_inputs);  // too long

  check_refused([](auto& json) { json["inputs"] = 1; });
  check_refused([](auto& json) { json["inputs"]["symbols"] = {2, 1}, json["inputs"]["symbols_are_bytes"] = true; });
  check_refused([](auto& json) { json["inputs"]["symbols"] = {1}; });
  check_refused(
      [](auto& json) { json["inputs"]["symbols"] = {0x110000}, json["inputs"]["symbols_are_bytes"] = false; });
  check_refused([](auto& json) { json["inputs"]["columns"] = {{{"name", "a"}, {"role", "king"}, {"text", false}}}; });
  check_refused([](auto& json) { json["inputs"]["columns"] = {{{"name", "a"}, {"role", "feature"}, {"text", true}}}; });
  check_refused([](auto& json) {
    json["inputs"]["columns"] = {{{"name", "a"}, {"role", "feature"}, {"text", false}, {"categories", {"x"}}}};
  });
  check_refused([](auto& json) {
    json["inputs"]["columns"] = {{{"name", "a"}, {"role", "ignored"}, {"text", false}},
                                 {{"name", "a"}, {"role", "feature"}, {"text", false}}};
  });
}

TEST_CASE("weights of a network trained on other columns are refused") {
  NetworkText stored = example();
  stored.data.encoding.columns = {{.name = "a"}, {.name = "b", .is_text = true, .categories = {"x", "y"}}};
  const auto fails = [&](const std::function<void(std::vector<InputColumn>&)>& change, const std::string& what) {
    NetworkText own = stored;
    change(own.data.encoding.columns);
    check_throws(ErrorCode::model_mismatch, what, [&] { check_same_inputs("f", to_json(stored), to_json(own)); });
  };
  CHECK_NOTHROW(check_same_inputs("f", to_json(stored), to_json(stored)));
  CHECK_NOTHROW(check_same_inputs("f", to_json(stored), to_json(example())));
  CHECK_NOTHROW(check_same_inputs("f", "", to_json(stored)));
  fails([](auto& columns) { std::swap(columns[0], columns[1]); },
        "input column 1 is 'a' in the file and 'b' in the data");
  fails([](auto& columns) { columns.pop_back(); }, "input column 2 is 'b' in the file and none in the data");
  fails([](auto& columns) { columns[1].categories.back() = "z"; }, "column 'b' has other categories");
  NetworkText filled = stored;
  filled.data.encoding.columns[0].fill = 5;  // values that fill gaps may differ
  filled.data.encoding.columns.push_back({.name = "c", .role = InputColumn::Role::ignored});
  CHECK_NOTHROW(check_same_inputs("f", to_json(stored), to_json(filled)));
}

TEST_CASE("a network description that the reader would refuse is not written") {
  NetworkText network = example();
  network.loss = "\xff";
  CHECK(to_json(network).empty());
  network = example();
  network.layers[0].name = "a\nb";
  CHECK(to_json(network).empty());
  network = example();
  network.layers.resize(100'000, network.layers[0]);
  CHECK(to_json(network).empty());
}

TEST_CASE("an invalid network description is refused") {
  check_refused([](auto& json) { json.erase("loss"); });
  check_refused([](auto& json) { json["more"] = 1; });
  check_refused([](auto& json) { json["loss"] = 1; });
  check_refused([](auto& json) { json["shape"] = {1, -2}; });
  check_refused([](auto& json) { json["shape"] = {1, 0}; });
  check_refused([](auto& json) { json["shape"] = nlohmann::json::array(); });
  check_refused([](auto& json) { json["shape"] = {65536, 65536, 2}; });
  check_refused([](auto& json) { json["shape"] = {18446744073709551615ULL}; });
  check_refused([](auto& json) { json["shape"] = {1.5}; });
  check_refused([](auto& json) { json["classes"] = 0; });
  check_refused([](auto& json) { json["targets"] = 2; });
  check_refused([](auto& json) { json["class_names"] = {"one"}; });
  check_refused([](auto& json) { json["class_names"] = {"one", "\u001b[2J"}; });
  check_refused([](auto& json) { json["layers"][1]["inputs"] = {1}; });
  check_refused([](auto& json) { json["layers"][1]["inputs"] = {-2}; });
  check_refused([](auto& json) { json["layers"][1]["numbers"]["outputs"] = 1e30; });
  check_refused([](auto& json) { json["layers"][1]["numbers"] = {1}; });
  check_refused([](auto& json) { json["layers"][1].erase("kind"); });
  check_refused([](auto& json) { json["layers"] = "none"; });
  check_refused([](auto& json) { json = {1, 2}; });
  check_throws(ErrorCode::bad_file, "a", [] { network_from_json("a", R"({"loss": "a", "loss": "b"})"); });
}

TEST_CASE("a weight file contains the network description, and readers may ignore it") {
  const TemporaryFolder folder;
  const std::vector<float> weights{1, 2, 3};
  write_safetensors(folder / "said", {{"w", {3}}}, weights, "a \"network\"");
  write_safetensors(folder / "unsaid", {{"w", {3}}}, weights);
  CHECK(SafetensorsFile(folder / "said").network() == "a \"network\"");
  CHECK(SafetensorsFile(folder / "unsaid").network().empty());
  CHECK(read_safetensors(folder / "said", {{"w", {3}}}) == weights);
}
