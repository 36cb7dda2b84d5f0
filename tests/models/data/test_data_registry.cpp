#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

TrainingData one_sample(float value) {
  return {std::make_shared<const Dataset>(Dataset::targets({1}, {value}, {value})), nullptr};
}

MakeData anything() {
  return [](const std::string&, std::uint64_t) { return one_sample(0); };
}

void refused(const std::string& what, const std::string& name) {
  CAPTURE(name);
  check_throws(ErrorCode::invalid_argument, what, [&] { load_data(name); });
}

float value_of(const TrainingData& data) { return read_samples(*data.train, {0}).values[0]; }

}  // namespace

TEST_CASE("a registered function makes data from the arguments after the colon") {
  const auto length = [](const std::string& arguments, std::uint64_t) {
    return one_sample(static_cast<float>(arguments.size()));
  };
  register_data("test-optional", length, {.arguments = "[:WORD]"});
  register_data("test-wanted", length, {.arguments = ":WORD"});
  register_data("test-plain", length);
  CHECK(value_of(load_data("test-optional")) == 0);
  CHECK(value_of(load_data("test-optional:abc")) == 3);
  CHECK(value_of(load_data("test-wanted:a:b")) == 3);
  CHECK(value_of(load_data("test-wanted:")) == 0);
  CHECK(value_of(load_data("test-plain")) == 0);
  refused("data 'test-wanted' does not have the form test-wanted:WORD", "test-wanted");
  refused("data 'test-plain:' does not have the form test-plain", "test-plain:");
}

TEST_CASE("the error about an unknown name lists all data sources, including registered ones") {
  register_data("test-listed", anything(), {.arguments = ":HERE"});
  for (const char* name : {"", "mnist", "fashion-mnistx", ":", "mock-images "}) {
    refused("no data source named '" + std::string(name).substr(0, std::string(name).find(':')) + "'", name);
    refused(
        "there are cifar10:DIR, csv:..., fashion-mnist[:DIR], fold:I/K:NAME, idx:..., images:..., "
        "mock-images[:...], "
        "npy:..., "
        "npz:..., synthetic-linear, tar:..., ",
        name);
    refused("test-listed:HERE", name);
  }
  refused("data 'synthetic-linear:3' does not have the form synthetic-linear", "synthetic-linear:3");
  refused("data 'npy' does not have the form npy:IMAGES.npy,LABELS.npy[", "npy");
}

TEST_CASE("registering data requires a unique name without a colon, a function and a valid description of arguments") {
  const auto invalid = [](const std::string& what, const std::string& name, const MakeData& make,
                          const std::string& arguments = "") {
    check_throws(ErrorCode::invalid_argument, what, [&] { register_data(name, make, {.arguments = arguments}); });
  };
  register_data("test-once", anything());
  invalid("'test-once' is registered already", "test-once", anything());
  invalid("'npy' is registered already", "npy", anything());
  invalid("the name", "", anything());
  invalid("must not contain a colon", "test:colon", anything());
  invalid("'test-null'", "test-null", nullptr);
  invalid("'FILE' must start with ':' or '[:'", "test-usage", anything(), "FILE");
}

TEST_CASE("drawn data is made once for each seed, and other data once for all seeds") {
  const auto seeded = [](const std::string&, std::uint64_t seed) { return one_sample(static_cast<float>(seed)); };
  register_data("test-drawn", seeded, {.drawn = true});
  register_data("test-fixed", seeded);
  CHECK(value_of(load_data("test-drawn", 3)) == 3);
  CHECK(value_of(load_data("test-drawn", 4)) == 4);
  const auto held = load_data("test-fixed", 3);
  CHECK(value_of(held) == 0);
  CHECK(load_data("test-fixed", 4).train == held.train);
}

TEST_CASE("loading returns the existing object while a caller holds its training set or its test set") {
  register_data("test-held", [](const std::string&, std::uint64_t) {
    return TrainingData{one_sample(1).train, one_sample(2).train};
  });
  TrainingData first = load_data("test-held");
  const std::weak_ptr<const DataSource> gone = first.train;
  CHECK(load_data("test-held").train == first.train);
  first.train = nullptr;
  CHECK(load_data("test-held").train == gone.lock());
  first = {};
  CHECK(gone.expired());
}

TEST_CASE("threads that load the same data at the same time share one object") {
  static std::atomic<int> made{0};
  register_data("test-shared", [](const std::string&, std::uint64_t) {
    ++made;
    std::this_thread::yield();
    return one_sample(1);
  });
  const auto load = [] { return load_data("test-shared"); };
  auto one = std::async(std::launch::async, load);
  auto other = std::async(std::launch::async, load);
  const TrainingData held = one.get();
  CHECK(held.train == other.get().train);
  CHECK(made == 1);
}

TEST_CASE("data may be made from other data, but not from itself") {
  register_data("test-inner", anything());
  register_data("test-outer", [](const std::string&, std::uint64_t) { return load_data("test-inner"); });
  CHECK(load_data("test-outer").train == load_data("test-inner").train);
  register_data("test-circle", [](const std::string&, std::uint64_t) { return load_data("test-circle"); });
  refused("data 'test-circle' depends on itself", "test-circle");
  refused("data 'test-circle' depends on itself", "test-circle");  // again, in place of a deadlock
}

TEST_CASE("a failure to make data is reported, and the next request tries again") {
  static int calls = 0;
  register_data("test-fails", [](const std::string&, std::uint64_t) -> TrainingData {
    if (++calls == 1) throw Error(ErrorCode::bad_file, "not there yet");
    if (calls == 2) return {};
    return one_sample(5);
  });
  const auto load = [] { load_data("test-fails"); };
  check_throws(ErrorCode::bad_file, "not there yet", load);
  check_throws(ErrorCode::bad_data, "data 'test-fails' has no training set", load);
  CHECK(value_of(load_data("test-fails")) == 5);
}
