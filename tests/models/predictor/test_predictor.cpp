#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "models/aligned.hpp"
#include "models/files.hpp"
#include "models/files/weight_file.hpp"
#include "runtime/random.hpp"
#include "support/same_bits.hpp"
#include "support/started.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"
#include "troupe/predictor.hpp"
#include "troupe/transform.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::testing;
using troupe_test::same_bits;

namespace {

TrainingData images(int count, std::vector<std::int64_t> shape = {1, 12, 12}) {
  DataInfo info;
  info.shape = shape;
  std::vector<float> values(static_cast<std::size_t>(count * info.sample_size()));
  Random random(5);
  for (float& value : values) value = random.uniform();
  std::vector<std::int32_t> labels;
  for (int i = 0; i < count; ++i) labels.push_back(i % 3);
  const auto set = std::make_shared<const Dataset>(Dataset::classes(std::move(shape), std::move(values), labels, 3));
  return {.train = set, .test = set};
}

TrainingData numbers(int count, std::int64_t targets) {
  std::vector<float> values(static_cast<std::size_t>(count) * 4);
  Random random(6);
  for (float& value : values) value = random.uniform();
  const std::vector<float> wanted(static_cast<std::size_t>(count * targets), 0.5F);
  return {.train = std::make_shared<const Dataset>(Dataset::targets({4}, values, wanted, targets)), .test = nullptr};
}

std::vector<float> values_of(const DataSource& source) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(source.info().num_samples));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  std::vector<float> values(all.size() * static_cast<std::size_t>(source.info().sample_size()));
  std::vector<std::int32_t> labels(source.info().num_classes > 0 ? all.size() : 0);
  std::vector<float> targets(all.size() * static_cast<std::size_t>(source.info().num_targets));
  source.fill({.samples = all, .values = values, .labels = labels, .targets = targets});
  return values;
}

/// Writes the model's initial weights, or random weights if those are all zero. Returns the weights in the model's
/// layout.
AlignedFloats save(Model& model, const std::string& path, bool says_network = true) {
  const ModelInfo& info = model.info();
  AlignedFloats weights(info.size);
  model.initialize(weights, 3);
  if (std::ranges::all_of(weights, [](float weight) { return weight == 0; })) {
    Random random(9);
    for (float& weight : weights) weight = random.uniform() - 0.5F;
  }
  std::vector<float> canonical(total_size(info.tensors));
  model.to_canonical(weights, canonical);
  write_safetensors(path, info.tensors, canonical, says_network ? info.network : "");
  return weights;
}

/// Returns a loss that records the outputs of an evaluation.
std::shared_ptr<const Loss> keeping(std::vector<float>& kept) {
  const auto value = [&kept](std::span<const float> outputs, const Target& /*target*/) {
    kept.insert(kept.end(), outputs.begin(), outputs.end());
    return 0.0;
  };
  return std::make_shared<FunctionLoss>("keeping", value, [](auto, const auto&, auto) {});
}

Graph residual_graph() {
  Graph graph;
  const auto x = graph.append("stem", conv2d(16, {.kernel = 3, .padding = 1, .bias = false}), {Graph::input()});
  const auto y = graph.append("", relu(), {graph.append("bn", batch_norm(), {x})});
  const auto sum = graph.append("", add(), {graph.append("conv", conv2d(16, {.kernel = 3, .padding = 1}), {y}), y});
  graph.append("fc", linear(3), {graph.append("", global_average_pool(), {sum})});
  return graph;
}

std::vector<float> slice(const std::vector<float>& all, std::size_t first, std::size_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

}  // namespace

TEST_CASE("outputs equal those of an evaluation: bitwise with the same batches, otherwise up to rounding") {
  const TemporaryFolder folder;
  const TrainingData data = images(100);
  for (const Graph& graph : {Graph(cnn_layers(3)), Graph(cnn_bn_layers(3)), residual_graph()}) {
    std::vector<float> kept;
    const auto model = started(network(graph, data, 64, keeping(kept)));
    model->evaluate({}, save(*model, folder / "w"));  // 64 samples, then 36
    REQUIRE(kept.size() == 300);
    const Predictor predictor(folder / "w", graph, {}, keeping(kept));
    const std::vector<float> expected = kept;
    const std::vector<float> found = predictor.outputs(values_of(*data.test));
    CHECK(same_bits(std::span(found).first(192), std::span(expected).first(192)));
    for (std::size_t i = 192; i < 300; ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("a weight file describes its network") {
  const TemporaryFolder folder;
  const TrainingData data = images(10);
  const auto model = started(network(residual_graph(), data, 5));
  save(*model, folder / "w");
  const Predictor predictor(folder / "w");
  CHECK(predictor.sample_shape() == std::vector<std::int64_t>{1, 12, 12});
  CHECK(predictor.num_outputs() == 3);
  CHECK(predictor.data().num_classes == 3);
  CHECK(predictor.loss().name() == "softmax-cross-entropy");
  const std::vector<float> values = values_of(*data.test);
  CHECK(same_bits(predictor.outputs(values), Predictor(folder / "w", residual_graph()).outputs(values)));
}

TEST_CASE("linear and softmax regression predict as they evaluate, up to rounding") {
  const TemporaryFolder folder;
  const TrainingData line = numbers(20, 1);
  const auto linear_model = started(linear_regression(line));
  const AlignedFloats weights = save(*linear_model, folder / "linear");
  const std::vector<float> values = values_of(*line.train);
  const auto lines = Predictor(folder / "linear").probabilities(values);
  REQUIRE(lines.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += static_cast<double>(values[4 * i + j]) * static_cast<double>(weights[j]);
    CHECK(lines[i] == doctest::Approx(sum).epsilon(1e-5));
  }

  const TrainingData data = images(50);
  const auto softmax_model = started(softmax_regression(data));
  const AlignedFloats flat = save(*softmax_model, folder / "softmax");
  const EvaluationResult evaluated = softmax_model->evaluate({}, flat);
  const Predictor predictor(folder / "softmax");
  const std::vector<float> outputs = predictor.outputs(values_of(*data.test));
  std::int64_t hits = 0;
  double loss = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    const Target target{.label = static_cast<std::int32_t>(i % 3)};
    hits += predictor.loss().is_hit(std::span(outputs).subspan(3 * i, 3), target) ? 1 : 0;
    loss += predictor.loss().value(std::span(outputs).subspan(3 * i, 3), target);
  }
  CHECK(hits == evaluated.correct);
  CHECK(loss == doctest::Approx(evaluated.loss_sum).epsilon(1e-5));
}

TEST_CASE("a weight file without a description can be loaded with the name of its network") {
  const TemporaryFolder folder;
  const TrainingData data = images(10, {1, 28, 28});
  const std::vector<float> values = values_of(*data.test);
  for (const char* const name : {"mlp", "cnn", "softmax"}) {
    const auto creator = [&]() -> std::unique_ptr<Model> {
      if (std::string(name) == "softmax") return softmax_regression(data);
      return network(std::string(name) == "mlp" ? mlp_layers(3) : cnn_layers(3), data);
    };
    const auto model = started(creator());
    save(*model, folder / "said");
    save(*model, folder / "unsaid", false);
    check_throws(ErrorCode::invalid_argument, "unsaid", [&] { Predictor(folder / "unsaid"); });
    const Predictor named(folder / "unsaid", name, {1, 28, 28});
    CHECK(named.num_outputs() == 3);
    CHECK(named.data().num_classes == 3);
    CHECK(same_bits(named.outputs(values), Predictor(folder / "said").outputs(values)));
  }
}

TEST_CASE("probabilities are the outputs transformed by the loss") {
  const TemporaryFolder folder;
  const TrainingData data = images(6);
  const auto classes = started(network(mlp_layers(3), data));
  save(*classes, folder / "classes");
  const Predictor softmax(folder / "classes");
  const std::vector<float> values = values_of(*data.test);
  const auto outputs = softmax.outputs(values);
  const auto probabilities = softmax.probabilities(values);
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += std::exp(static_cast<double>(outputs[3 * i + j]));
    for (std::size_t j = 0; j < 3; ++j)
      CHECK(probabilities[3 * i + j] == doctest::Approx(std::exp(static_cast<double>(outputs[3 * i + j])) / sum));
  }

  const TrainingData line = numbers(4, 2);
  for (const auto& loss : {losses::sigmoid_cross_entropy(), losses::mean_squared_error()}) {
    const auto model = started(network(mlp_layers(2), line, 64, loss));
    save(*model, folder / "targets");
    const Predictor predictor(folder / "targets");
    const auto raw = predictor.outputs(values_of(*line.train));
    const auto said = predictor.probabilities(values_of(*line.train));
    for (std::size_t i = 0; i < raw.size(); ++i)
      CHECK(said[i] == doctest::Approx(loss->name() == "mean-squared-error"
                                           ? raw[i]
                                           : 1 / (1 + std::exp(-static_cast<double>(raw[i])))));
  }
}

TEST_CASE("concurrent calls return bitwise the same outputs as a single call, for any alignment of the samples") {
  const TemporaryFolder folder;
  const TrainingData data = images(40);
  const auto model = started(network(cnn_bn_layers(3), data));
  save(*model, folder / "w");
  const Predictor predictor(folder / "w");
  const std::vector<float> values = values_of(*data.test);
  const std::vector<float> expected = predictor.outputs(values);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread)
    threads.emplace_back([&, thread] {
      std::vector<float> moved(thread, 0.0F);  // at another offset in a cache line
      moved.insert(moved.end(), values.begin(), values.end());
      for (int i = 0; i < 20; ++i)
        if (!same_bits(predictor.outputs(std::span(moved).subspan(thread)), expected)) ++wrong[thread];
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("one call accepts any number of samples") {
  const TemporaryFolder folder;
  const TrainingData data = images(150);
  const auto model = started(network(cnn_layers(3), data));
  save(*model, folder / "w");
  const Predictor predictor(folder / "w");
  const std::vector<float> values = values_of(*data.test);
  const std::vector<float> all = predictor.outputs(values);
  CHECK(predictor.outputs({}).empty());
  for (const std::size_t count : {1U, 2U, 3U, 63U, 65U, 149U}) {
    const auto some = predictor.outputs(slice(values, 0, count * 144));
    REQUIRE(some.size() == 3 * count);
    for (std::size_t i = 0; i < some.size(); ++i) CHECK(some[i] == doctest::Approx(all[i]).epsilon(1e-4));
  }
}

TEST_CASE("arguments and files that do not fit are refused, and the error names file and tensor") {
  const TemporaryFolder folder;
  const auto model = started(network(mlp_layers(3), images(10)));
  save(*model, folder / "w");
  const Predictor predictor(folder / "w");
  std::vector<float> room(2);
  const std::vector<float> sample(144);
  check_throws(ErrorCode::invalid_argument, "145 floats", [&] { predictor.outputs(std::vector<float>(145)); });
  check_throws(ErrorCode::invalid_argument, "holds 2 floats", [&] { predictor.outputs(sample, room); });

  check_throws(ErrorCode::bad_file, "none", [&] { Predictor(folder / "none"); });
  write_file(folder / "cut", read_file(folder / "w").substr(0, 2000));
  check_throws(ErrorCode::bad_file, "cut", [&] { Predictor(folder / "cut"); });
  check_throws(ErrorCode::model_mismatch, "'0.weight'", [&] { Predictor(folder / "w", "cnn"); });
  check_throws(ErrorCode::model_mismatch, "'3.weight'", [&] {
    Predictor(folder / "w", {flatten(), linear(128), relu(), linear(4)});
  });
  check_throws(ErrorCode::invalid_argument, "1x12x12", [&] { Predictor(folder / "w", "mlp", {1, 10, 10}); });
  check_throws(ErrorCode::invalid_argument, "no model named 'nlp'", [&] { Predictor(folder / "w", "nlp"); });
  save(*model, folder / "unsaid", false);
  check_throws(ErrorCode::invalid_argument, "the shape of the samples", [&] { Predictor(folder / "unsaid", "mlp"); });
  write_safetensors(folder / "nonsense", {{"w", {1}}}, std::vector<float>(1), "{}");
  check_throws(ErrorCode::bad_file, "nonsense", [&] { Predictor(folder / "nonsense"); });
  // A description that is invalid on its own is reported as a bad file.
  const std::string whole = read_file(folder / "w");
  for (const auto& [said, other] :
       {std::pair{R"(\"classes\":3)", R"(\"classes\":4)"}, {R"(\"outputs\":128)", R"(\"outputs\":-28)"}}) {
    const auto at = whole.find(said);
    REQUIRE(at != std::string::npos);
    write_file(folder / "other", std::string(whole).replace(at, std::strlen(said), other));
    check_throws(ErrorCode::bad_file, "other", [&] { Predictor(folder / "other"); });
  }
}

namespace {

/// A linear regression on a table with a text column and transforms, with saved weights.
struct TableNetwork {
  TemporaryFolder folder;
  std::string weights = folder / "w";
  TrainingData data;

  TableNetwork() {
    write_file(folder / "a.csv", "city,rooms,age,price\nUlm,2,10,1\nBonn,3,20,2\nUlm,4.5,30,3\nBonn,,17,4\n");
    data = data::transform(load_data("csv:" + folder / "a.csv" + ",missing=mean"), "normalise, intercept");
    const auto model = started(linear_regression(data, 0));
    save(*model, weights);
  }
};

}  // namespace

TEST_CASE("rows with named columns become bitwise the samples of an evaluation") {
  const TableNetwork table;
  const Predictor predictor(table.weights);
  const std::vector<float> samples = values_of(*table.data.train);
  const std::vector<Row> rows{{{"city", "Ulm"}, {"rooms", 2}, {"age", 10}},
                              {{"age", "20"}, {"rooms", "3"}, {"city", "Bonn"}, {"colour", "red"}},
                              {{"rooms", 4.5}, {"city", "Ulm"}, {"age", 30.0F}},
                              {{"rooms", std::nan("")}, {"city", "Bonn"}, {"age", 17L}}};
  std::vector<float> raw;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const std::vector<float> sample = slice(samples, i * 5, 5);
    CHECK(same_bits(predictor.prepare(rows[i]), sample));
    CHECK(predictor.predict(rows[i]) == predictor.probabilities(sample));
  }
  const std::vector<float> untransformed =
      values_of(*load_data("csv:" + table.folder / "a.csv" + ",missing=mean").train);
  CHECK(same_bits(predictor.prepare(untransformed), samples));
  CHECK(predictor.predict(untransformed) == predictor.probabilities(samples));
}

TEST_CASE("an invalid row is refused with the name of the column") {
  const TableNetwork table;
  const Predictor predictor(table.weights);
  const auto fails = [&](const Row& row, const std::string& what) {
    check_throws(ErrorCode::bad_data, what, [&] { predictor.predict(row); });
  };
  fails({{"city", "Ulm"}, {"rooms", 2}}, "column 'age' is missing");
  fails({{"city", "Kiel"}, {"rooms", 2}, {"age", 3}}, "column 'city' has 'Kiel', which is not in the training set");
  fails({{"city", "Ulm"}, {"rooms", "two"}, {"age", 3}}, "column 'rooms' has 'two'");
  fails({{"city", "Ulm"}, {"rooms", 1e300}, {"age", 3}}, "out of the range of float");
  fails({{"city", ""}, {"rooms", 2}, {"age", 3}}, "column 'city' has no value");
  const TemporaryFolder folder;
  const auto model = started(network(Graph(cnn_layers(3)), images(10), 10));
  save(*model, folder / "cnn");
  check_throws(ErrorCode::invalid_argument, "does not describe the columns of a table", [&] {
    Predictor(folder / "cnn").predict(Row{{"a", 1}});
  });
}

TEST_CASE("unknown transforms are refused with the name of the file") {
  const TableNetwork table;
  std::string bytes = read_file(table.weights);
  const std::size_t at = bytes.find("intercept");
  REQUIRE(at != std::string::npos);
  bytes.replace(at, 9, "interchat");
  write_file(table.weights, bytes);
  check_throws(ErrorCode::bad_file, "there is no transform 'interchat'", [&] { Predictor predictor(table.weights); });
}
