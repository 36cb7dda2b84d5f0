#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "troupe/batches.hpp"
#include "troupe/models.hpp"
#include "troupe/pipeline.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Tokens = std::vector<std::vector<std::int32_t>>;

std::shared_ptr<const DataSource> three_sequences() {
  return std::make_shared<const Dataset>(Dataset::sequences({{1, 2, 3}, {4, 1}, {2, 2}}, {}, 5));
}

}  // namespace

TEST_CASE("sequences of different lengths are padded, and their labels are the next tokens") {
  const auto data = three_sequences();
  CHECK(data->info().shape == std::vector<std::int64_t>{3});
  CHECK(data->info().labels_per_sample == 3);
  CHECK(data->info().num_classes == 5);
  const Samples all = read_all(*data);
  CHECK(all.values == std::vector<float>{1, 2, 3, 4, 1, 0, 2, 2, 0});
  const std::int32_t none = kIgnoredLabel;
  CHECK(all.labels == std::vector<std::int32_t>{2, 3, none, 1, none, none, 2, none, none});
  CHECK(data->info().padded);
  CHECK(data->known_labels().empty());
}

TEST_CASE("labels of sequences go through pipelines, batches and shared memory") {
  const auto data = three_sequences();
  const Samples twice = read_all(*data::concat({data, data}));
  CHECK(twice.labels.size() == 18);
  CHECK(twice.labels[15] == 2);
  CHECK(read_all(*data::select(data, {2, 0})).labels[3] == 2);
  const auto kept = data::filter(data, [](const data::SampleView& sample) { return sample.labels[0] == 2; });
  CHECK(kept->info().num_samples == 2);
  const auto [some, rest] = data::split(data, 0.4, 1);
  CHECK(some->info().num_samples + rest->info().num_samples == 3);
  const auto batches = dataset_batches({.train = data, .test = data}, 2);
  const Batch batch = batches->training_batch({.seed = 1});
  CHECK(batch.labels.size() == 6);
  CHECK(code_of([&] { data::window(data, 2); }) == ErrorCode::invalid_argument);
}

TEST_CASE("sequences that do not fit are refused") {
  const auto refuse = [](const Tokens& tokens, const Tokens& labels, const std::string& what) {
    const auto make = [&] { Dataset::sequences(tokens, labels, 5); };
    CHECK(code_of(make) == ErrorCode::bad_data);
    CHECK(message_of(make).find(what) != std::string::npos);
  };
  refuse({}, {}, "");
  refuse({{}}, {}, "");
  refuse({{1, 5}}, {}, "5 at position");
  refuse({{1, -1}}, {{1, 1}}, "token -1 at position 1 of sample 0");
  refuse({{1, 2}}, {{1}}, "sequence 0 does not have one label for each token");
  refuse({{1, 2}}, {{1, 7}}, "label 7 at position 1 of sample 0");
  refuse({{1, 2}}, {{-100, -100}}, "no token of sequence 0 has a label");
  refuse({{1, 2}, {3}}, {}, "no token of sequence 1 has a label");
  refuse({{1}, {2}}, {}, "no sequence has two tokens");
}

TEST_CASE("attention that is not causal refuses sequences of different lengths in any part of the data") {
  const std::shared_ptr<const DataSource> whole =
      std::make_shared<const Dataset>(Dataset::sequences({{1, 2, 3}, {4, 1, 0}}, {}, 5));
  using namespace models;
  const auto code_for = [](const TrainingData& data) {
    return code_of([&] { network({embedding(5, 6), attention({.causal = false}), linear(5)}, data, 2); });
  };
  CHECK(code_for({.train = whole, .test = whole}) == std::nullopt);
  CHECK(code_for({.train = data::concat({whole, three_sequences()})}) == ErrorCode::unsupported);
  CHECK(code_for({.train = whole, .test = three_sequences()}) == ErrorCode::unsupported);
  CHECK(code_for({.train = whole, .validation = three_sequences()}) == ErrorCode::unsupported);
}

TEST_CASE("models that need one label per sample refuse sequences") {
  const TrainingData data{.train = three_sequences()};
  CHECK(code_of([&] { models::softmax_regression(data); }) == ErrorCode::invalid_argument);
  using namespace models;
  const auto network_of = [&](const std::vector<Layer>& layers, std::vector<Metric> metrics = {}) {
    return [&, layers, metrics] { network(layers, data, 2, nullptr, metrics); };
  };
  CHECK(code_of(network_of({embedding(5, 6), attention({.causal = false}), linear(5)})) == ErrorCode::unsupported);
  CHECK(code_of(network_of({embedding(5, 6), attention({}), linear(5)})) == std::nullopt);
  CHECK(code_of(network_of({embedding(4, 6), linear(5)})) == ErrorCode::bad_data);
  const Metric metric{"mine", [](std::span<const float>, const Target&) { return 1.0; }};
  CHECK(code_of(network_of({embedding(5, 6), linear(5)}, {metric})) == ErrorCode::unsupported);
  CHECK(message_of([&] { models::network({models::linear(5)}, data, 2); }).find("needs 3 positions x 5") !=
        std::string::npos);
}
