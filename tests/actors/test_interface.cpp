#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <locale>
#include <numeric>
#include <set>
#include <sstream>

#include "actors/messages/messages.hpp"
#include "actors/rounds/failures.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

Options noise(Placement placement, int workers, const char* size) {
  Options options = quiet_options(placement, workers);
  options.num_shards = 4;
  options.config = size;
  return options;
}

Options fashion_cnn(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.num_shards = 4;
  edit(options)->learning_rate = 0.05;
  options.config = R"({"data": "fashion-mnist", "batch_size": 8})";
  return options;
}

}  // namespace

TEST_CASE("weights can be read and set, and training continues from them") {
  for (const Placement placement : kPlacements) {
    DistributedSGD sgd("noise", noise(placement, 2, "4097"));
    CHECK(sgd.weights() == troupe_test::plain_noise_run(4097, 4, 0, 0.01, 0));
    sgd.step();
    const auto after_one = sgd.weights();
    CHECK(after_one == troupe_test::plain_noise_run(4097, 4, 1, 0.01, 0));
    sgd.set_weights(std::vector<float>(4097, 2.5F));
    CHECK(sgd.weights() == std::vector<float>(4097, 2.5F));
    sgd.set_weights(after_one);
    sgd.step();
    CHECK(sgd.weights() == troupe_test::plain_noise_run(4097, 4, 2, 0.01, 0));
    CHECK(code_of([&] { sgd.set_weights(std::vector<float>(4096)); }) == ErrorCode::model_mismatch);
  }
}

TEST_CASE("set_weights resets the momentum") {
  Options options = noise(Placement::in_process, 2, "7");
  edit(options)->momentum = 0.9;
  DistributedSGD sgd("noise", options);
  const auto start = sgd.weights();
  sgd.step();
  const auto after_one = sgd.weights();
  sgd.set_weights(start);
  sgd.step();  // another step number has other gradients, so only the velocity is compared:
  DistributedSGD fresh("noise", options);
  fresh.step();
  CHECK(fresh.weights() == after_one);
  edit(options)->momentum = 0;
  DistributedSGD plain("noise", options);
  plain.step();
  plain.set_weights(start);
  plain.step();
  CHECK(plain.weights() == sgd.weights());  // without a velocity, momentum makes no difference in the first step
}

TEST_CASE("set_weights resets the state of Adam") {
  Options options = noise(Placement::in_process, 2, "7");
  edit(options)->kind = "adam";
  DistributedSGD sgd("noise", options);
  for (int step = 0; step < 50; ++step) sgd.step();
  sgd.set_weights(std::vector<float>(7));
  sgd.step();
  // Adam's first update equals the learning rate for any gradient.
  for (const float weight : sgd.weights()) CHECK(std::abs(weight) == doctest::Approx(0.01).epsilon(1e-3));
}

TEST_CASE("files preserve weights bitwise, including -0, and weights that are not finite are refused") {
  const std::string path = std::filesystem::temp_directory_path() / ("weights-" + std::to_string(::getpid()));
  for (const Placement placement : kPlacements) {
    DistributedSGD sgd("noise", noise(placement, 1, "7"));
    std::vector<float> odd{std::numeric_limits<float>::max(),
                           -0.0F,
                           std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::lowest(),
                           1,
                           2,
                           3};
    sgd.set_weights(odd);
    sgd.save(path);
    sgd.set_weights(std::vector<float>(7));
    sgd.load(path);
    const auto back = sgd.weights();
    for (std::size_t i = 0; i < odd.size(); ++i)
      CHECK(std::bit_cast<std::uint32_t>(back[i]) == std::bit_cast<std::uint32_t>(odd[i]));
    for (const float value : {std::nanf("5"), -std::numeric_limits<float>::infinity()}) {
      odd[3] = value;
      sgd.set_weights(odd);
      sgd.save(path);
      CHECK(code_of([&] { sgd.load(path); }) == ErrorCode::non_finite_weights);
    }
    DistributedSGD other("noise", noise(placement, 1, "8"));
    CHECK(code_of([&] { other.load(path); }) == ErrorCode::model_mismatch);
    CHECK(code_of([&] { other.load(path + "-missing"); }) == ErrorCode::bad_file);
  }
  std::filesystem::remove(path);
}

TEST_CASE("the CNN's weights and evaluations are bitwise identical for any number of workers and placement") {
  std::set<std::vector<float>> results;
  std::set<double> losses;
  std::set<double> accuracies;
  for (const Placement placement : kPlacements)
    for (const int workers : {1, 2, 4}) {
      DistributedSGD sgd("cnn", fashion_cnn(placement, workers));
      for (int step = 0; step < 3; ++step) sgd.step();
      results.insert(sgd.weights());
      if (workers == 4) continue;  // evaluating the whole test set takes long with sanitizers
      const Evaluation test = sgd.evaluate();
      CHECK(test.samples == 10'000);
      losses.insert(test.loss);
      accuracies.insert(test.accuracy);
    }
  CHECK(results.size() == 1);
  CHECK(results.begin()->size() == 421'642);
  CHECK(losses.size() == 1);
  CHECK(accuracies.size() == 1);
}

TEST_CASE("the error for an evaluation without a test set states the solution, and the run continues") {
  for (const Placement placement : kPlacements) {
    DistributedSGD sgd("noise", noise(placement, 2, "8"));
    sgd.step();
    try {
      sgd.evaluate();
      FAIL_CHECK("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::bad_data);
      CHECK(error.where() == Where{.phase = "evaluate"});
      CHECK(error.message().find("TrainingData::test") != std::string::npos);
    }
    CHECK(sgd.step().step == 2);
  }
}

TEST_CASE("model functions run with the replicas, and their results are in order") {
  Options options = noise(Placement::in_process, 2, "7");
  options.compute.devices_per_worker = 2;
  DistributedSGD inside("noise", options);
  const auto size = [](Model& model, std::span<const float> weights) {
    return std::to_string(model.info().size) + "/" + std::to_string(weights.size());
  };
  CHECK(inside.foreach_model(size) == std::vector<Json>(4, "7/7"));
  CHECK(inside.call_model(size) == "7/7");
  CHECK(inside.foreach_worker([](const WorkerView& view) { return std::to_string(view.worker); }) ==
        std::vector<Json>{"0", "1"});
  CHECK(inside.foreach_worker("who") == std::vector<Json>{"0 2 here", "1 2 here"});
  CHECK(code_of([&] { inside.foreach_model(ModelFunction()); }) == ErrorCode::invalid_argument);

  DistributedSGD outside("noise", noise(Placement::processes, 2, "7"));
  CHECK(outside.foreach_worker("who") == std::vector<Json>{"0 1 here", "1 1 here"});
  CHECK(outside.foreach_model("first-weight") == std::vector<Json>(2, outside.call_model("first-weight")));
  CHECK(code_of([&] { outside.foreach_model(size); }) == ErrorCode::unsupported);
  for (DistributedSGD* sgd : {&inside, &outside}) {
    CHECK(code_of([&] { sgd->call_model("nobody"); }) == ErrorCode::invalid_argument);
    CHECK(code_of([&] { sgd->foreach_model("fails"); }) == ErrorCode::model_failed);
    CHECK(message_of([&] { sgd->foreach_model("fails"); }).find("this function fails") != std::string::npos);
    sgd->step();  // the run is unchanged
  }
}

TEST_CASE("a name can be registered only once") {
  CHECK(code_of([] { register_model_function("first-weight", [](Model&, auto) { return std::string(); }); }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([] { register_worker_function("", [](const WorkerView&) { return std::string(); }); }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([] { register_model("noise", [](const ReplicaContext&) { return nullptr; }); }) ==
        ErrorCode::invalid_argument);
}

TEST_CASE("creators receive shards that together are all shards of the run") {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::vector<int>> seen;
  Options options = noise(Placement::in_process, 2, "7");
  options.compute.devices_per_worker = 2;
  options.num_shards = 7;
  options.seed = 11;
  const DistributedSGD sgd(
      [&](const ReplicaContext& context) {
        const std::lock_guard lock(mutex);
        seen[{context.worker, context.replica}] = context.shards;
        CHECK(context.num_shards == 7);
        CHECK(context.seed == 11);
        CHECK(context.config == "7");
        return std::make_unique<troupe_test::NoiseModel>(7);
      },
      options);
  std::vector<int> all;
  for (const auto& [replica, shards] : seen) all.insert(all.end(), shards.begin(), shards.end());
  std::vector<int> expected(7);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(seen.size() == 4);
  CHECK(all == expected);
}

TEST_CASE("phases are printed in the format of the original program, with one interior line per worker") {
  std::ostringstream out;
  out << PhaseSeconds{1, 0.5, 0.25, 0.125, {0.4, 0.5}, {0.1, 0.125}} << 0.1;
  CHECK(out.str() ==
        "compute grad interior time 0.400000\ncompute grad interior time 0.500000\ncompute all grads time 0.500000\n"
        "grad reduce time 0.250000\napply grad interior time 0.100000\napply grad interior time 0.125000\n"
        "apply all grads time 0.125000\n0.1");
}

TEST_CASE("phases are printed with a decimal point in any locale") {
  struct Comma final : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::ostringstream out;
  out << PhaseSeconds{1, 1234.5, 0, 0, {}, {}} << LocalReport{2000, 0.25};
  std::locale::global(before);
  CHECK(out.str().find("compute all grads time 1234.500000\n") != std::string::npos);
  CHECK(out.str().find("local steps 2000, drift 0.25\n") != std::string::npos);
}

TEST_CASE("the work of local SGD and L-BFGS is printed as a line, and other algorithms print nothing") {
  std::ostringstream out;
  out << LocalReport{8, 0.25}
      << LbfgsReport{.evaluations = 3,
                     .objective = 0.5,
                     .step_length = 2,
                     .largest = 0.125,
                     .pairs = 4,
                     .portions = 48,
                     .backups = 1};
  CHECK(
      out.str() ==
      "local steps 8, drift 0.25\nL-BFGS evaluations 3, objective 0.5, step length 2, largest gradient 0.125, pairs 4, "
      "portions 48, backups 1\n");
  out.str("");
  out << StepReport().local << StepReport().lbfgs;
  CHECK(out.str().empty());
}

TEST_CASE("two runs can exist at the same time, and a run can be moved") {
  DistributedSGD first("noise", noise(Placement::processes, 1, "7"));
  DistributedSGD second("noise", noise(Placement::processes, 2, "7"));
  first.step();
  second.step();
  DistributedSGD moved = std::move(first);
  moved.step();
  second.step();
  CHECK(moved.weights() == second.weights());
}

TEST_CASE("messages preserve numbers bitwise") {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -0.0,
                             std::numeric_limits<double>::denorm_min(), 1.5})
    CHECK(std::bit_cast<std::uint64_t>(from_bits(to_bits(value))) == std::bit_cast<std::uint64_t>(value));
}

TEST_CASE("a round counts each worker's reply once, and ignores replies of other rounds") {
  Round round(5, {0, 2, 3});
  CHECK_FALSE(round.accept(4, 0));
  CHECK_FALSE(round.accept(5, 1));
  CHECK(round.accept(5, 2));
  CHECK_FALSE(round.accept(5, 2));
  CHECK(round.missing() == std::vector{0, 3});
  CHECK(round.accept(5, 0));
  CHECK(round.missing() == std::vector{3});
  CHECK_FALSE(round.complete());
  CHECK(round.accept(5, 3));
  CHECK(round.complete());
}
