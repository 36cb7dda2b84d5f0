#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/refused.hpp"
#include "models/files/safetensors_file.hpp"
#include "support/image_bytes.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using namespace troupe::testing;

namespace {

std::vector<std::string> train(const std::string& classes, const std::vector<std::string>& more) {
  return joined({"train", "--data", "mock-images:8," + classes + ",60", "--batch-size", "6", "--learning-rate", "1e-5",
                 "--steps", "4", "--quiet"},
                more);
}

std::map<std::string, std::vector<float>> tensors_of(const std::string& path) {
  const troupe::SafetensorsFile file(path);
  std::map<std::string, std::vector<float>> tensors;
  for (const auto& [name, stored] : file.tensors()) {
    std::vector<float>& values = tensors[name];
    values.resize(troupe::TensorInfo{name, stored.shape}.size());
    file.read(name, values);
  }
  return tensors;
}

/// Trains a network for 10 classes.
std::string pretrained(const TemporaryFolder& folder) {
  const std::string weights = folder / "ten.safetensors";
  REQUIRE(run_program(train("10", {"--model", "cnn-bn", "--save", weights})).status == 0);
  return weights;
}

}  // namespace

TEST_CASE("--new-head replaces the last layer for other classes and names the new tensors") {
  const TemporaryFolder folder;
  const std::string weights = pretrained(folder);
  check_refused(train("4", {"--load", weights}), {"10 outputs", "--new-head"});
  check_refused(train("4", {"--model", "cnn-bn", "--load", weights}), {"model_mismatch", "11.weight", "--new-head"});
  for (const bool by_name : {false, true}) {
    const std::string tuned = folder / (by_name ? "a.safetensors" : "b.safetensors");
    auto words = train(
        "4", {"--load", weights, "--new-head", "--freeze-tensors", "0.*", "--freeze-tensors", "1.*", "--save", tuned});
    if (by_name) words.insert(words.end(), {"--model", "cnn-bn"});
    const Finished run = run_program(words);
    INFO(run.err);
    CHECK(run.status == 0);
    CHECK(run.err.find(weights + ": of 14 tensors 2 are re-initialised: 11.weight, 11.bias") != std::string::npos);
    const auto before = tensors_of(weights);
    const auto after = tensors_of(tuned);
    CHECK(after.at("11.bias").size() == 4);
    for (const auto& [name, values] : after) {
      CAPTURE(name);
      const bool frozen = name.starts_with("0.") || name.starts_with("1.");
      CHECK((values == before.at(name)) == frozen);
    }
    CHECK(run_program({"evaluate", "--load", tuned, "--data", "mock-images:8,4,60"}).status == 0);
  }
  CHECK(read_file(folder / "a.safetensors") == read_file(folder / "b.safetensors"));
  check_refused(train("10", {"--model", "cnn-bn", "--new-head"}), {"--new-head requires --load"});
}

TEST_CASE("--new-head re-initializes a last layer of the right size if the class names differ") {
  const TemporaryFolder folder;
  const auto table = [&](const std::string& name, const std::vector<std::string>& classes) {
    std::string rows = "x,y,kind\n";
    for (int i = 0; i < 40; ++i)
      rows +=
          std::to_string(i % 4) + ',' + std::to_string(i % 3) + ',' + classes[static_cast<std::size_t>(i % 2)] + '\n';
    write_file(folder / name, rows);
    return "csv:" + (folder / name) + ",class=kind,test=" + (folder / name);
  };
  const std::string weights = folder / "w.safetensors";
  const auto mlp = [&](const std::string& data, const std::vector<std::string>& more) {
    return run_program(joined({"train", "--data", data, "--steps", "3", "--quiet"}, more));
  };
  REQUIRE(mlp(table("a.csv", {"cat", "dog"}), {"--model", "mlp", "--save", weights}).status == 0);
  const std::string other = table("b.csv", {"ant", "fox"});
  const Finished refused = mlp(other, {"--load", weights});
  CHECK(refused.status == 1);
  CHECK_MESSAGE(contains(refused.err, "--new-head"), refused.err);
  const Finished run = mlp(other, {"--load", weights, "--new-head", "--save", folder / "new.safetensors"});
  CHECK(run.status == 0);
  CHECK_MESSAGE(contains(run.err, "2 are re-initialised: 3.weight, 3.bias"), run.err);
  const Finished predicted = run_program({"predict", "--load", folder / "new.safetensors", "--data", other});
  CHECK_MESSAGE(contains(predicted.out, "(ant)"), predicted.out << predicted.err);
  const Finished same_column = mlp("csv:" + (folder / "b.csv"), {"--load", weights, "--new-head"});
  CHECK_MESSAGE(same_column.status == 0, same_column.err);
}

TEST_CASE("--new-head resizes images of new data to the input size of the network") {
  const TemporaryFolder folder;
  const auto images = [&](const std::string& name, std::size_t side) {
    const std::string pixels(side * side, 100);
    for (const char* const each : {"one", "two"}) {
      std::filesystem::create_directories(folder / name + "/" + each);
      write_file(folder / name + "/" + each + "/a.png",
                 png_bytes(pixels, static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(side), 1));
    }
    return "images:" + (folder / name);
  };
  const std::string weights = folder / "w.safetensors";
  const auto mlp = [&](const std::string& data, const std::vector<std::string>& more) {
    return run_program(joined({"train", "--data", data, "--steps", "1", "--batch-size", "2", "--quiet"}, more));
  };
  const Finished first = mlp(images("small", 8), {"--model", "mlp", "--save", weights});
  REQUIRE_MESSAGE(first.status == 0, first.err);
  const Finished second = mlp(images("large", 20), {"--load", weights, "--new-head"});
  CHECK_MESSAGE(second.status == 0, second.err);
  CHECK_MESSAGE(contains(second.err, "2 are re-initialised"), second.err);
}

TEST_CASE("options of a model come from the command line, a configuration or a search space") {
  const TemporaryFolder folder;
  const std::string weights = folder / "w.safetensors";
  const auto bias = [&](const std::vector<std::string>& more) {
    const Finished run = run_program(train("3", joined({"--model", "mlp", "--save", weights}, more)));
    INFO(run.err);
    REQUIRE(run.status == 0);
    return tensors_of(weights).at("1.bias").size();
  };
  CHECK(bias({}) == 128);
  CHECK(bias({"--model-option", "hidden=9", "--model-option", "layers=2"}) == 9);
  write_file(folder / "c.json", R"({"model_option": {"hidden": 5}})");
  CHECK(bias({"--config", folder / "c.json"}) == 5);
  write_file(folder / "c.json", R"({"model-option": ["hidden=6"]})");
  CHECK(bias({"--config", folder / "c.json"}) == 6);
  CHECK(bias({"--config", folder / "c.json", "--model-option", "hidden=7"}) == 7);
  CHECK(run_program({"predict", "--load", weights, "--data", "mock-images:8,3,5"}).status == 0);
  write_file(folder / "space.json", R"({"model_option": {"hidden": {"grid": [3, 4]}}, "steps": 2})");
  const Finished search = run_program({"tune", "--space", folder / "space.json", "--out", folder / "out", "--model",
                                       "mlp", "--data", "mock-images:8,3,60", "--model-option", "layers=2"});
  INFO(search.out << search.err);
  CHECK(search.status == 0);
  CHECK(tensors_of(folder / "out/trial-0001/weights.safetensors").at("1.bias").size() == 3);
  CHECK(tensors_of(folder / "out/trial-0002/weights.safetensors").at("3.bias").size() == 4);
  const std::vector<std::string> refusals[] = {{"hidden"}, {"=3"}, {"hidden="}, {"hidden=x"}, {"hidden=0x10"}};
  for (const auto& text : refusals)
    check_refused(train("3", {"--model", "mlp", "--model-option", text.front()}), {"--model-option", text.front()});
  check_refused(train("3", {"--model", "mlp", "--model-option", "hidden=2", "--model-option", "hidden=3"}),
                {"is given twice"});
  check_refused(train("3", {"--model", "mlp", "--model-option", "hiden=2"}), {"did you mean 'hidden'?"});
  check_refused(train("3", {"--load", weights, "--model-option", "hidden=2"}), {"--model-option is for --model"});
}
