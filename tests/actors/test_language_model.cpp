#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/small_gpt.hpp"
#include "support/temporary_folder.hpp"
#include "troupe/troupe.hpp"

using namespace troupe;
using troupe_test::gpt_after;
using troupe_test::gpt_config;
using troupe_test::quiet_options;
using troupe_test::TemporaryFolder;

namespace {

Options gpt_options(Placement placement, int workers, double dropout = 0, int micro_batch = 0) {
  Options options = quiet_options(placement, workers);
  options.num_shards = 4;
  options.optimizer = AdamW{.learning_rate = 0.01, .weight_decay = 0.1};
  options.config = gpt_config(dropout, micro_batch);
  return options;
}

}  // namespace

TEST_CASE("a language model has bitwise identical weights for any number of workers and placement, and after a death") {
  for (const auto& [dropout, micro_batch] : {std::pair{0.0, 0}, std::pair{0.2, 3}}) {
    CAPTURE(dropout);
    const std::vector<float> expected = gpt_after(gpt_options(Placement::in_process, 1, dropout, micro_batch));
    for (const Placement placement : troupe_test::kPlacements)
      for (const int workers : {1, 2, 4})
        CHECK(gpt_after(gpt_options(placement, workers, dropout, micro_batch)) == expected);
    Options dying = gpt_options(Placement::processes, 2, dropout, micro_batch);
    dying.fault_tolerance.max_failures = 1;
    dying.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 3}};
    DistributedSGD sgd("gpt", dying);
    std::size_t repairs = 0;
    for (int step = 0; step < 6; ++step) repairs += sgd.step().repairs.size();
    CHECK(repairs == 1);
    CHECK(sgd.weights() == expected);
  }
  CHECK(gpt_after(gpt_options(Placement::in_process, 2, 0.2, 3)) !=
        gpt_after(gpt_options(Placement::in_process, 2, 0.2, 2)));
}

TEST_CASE("a language model continues from a checkpoint with the same weights") {
  const TemporaryFolder folder;
  const std::vector<float> expected = gpt_after(gpt_options(Placement::in_process, 2, 0.1));
  Options options = gpt_options(Placement::processes, 2, 0.1);
  options.checkpoint.folder = folder / "run";
  {
    DistributedSGD sgd("gpt", options);
    for (int step = 0; step < 3; ++step) sgd.step();
    sgd.checkpoint();
  }
  options.checkpoint.resume = true;
  options.num_workers = 3;
  CHECK(gpt_after(options, 3) == expected);
}

TEST_CASE("other algorithms train a language model with the same weights for any number of workers") {
  for (const Algorithm& algorithm :
       {Algorithm(LocalSgd{.steps = 2}), Algorithm(Lbfgs{.history = 3, .full_batch = false})}) {
    std::vector<std::vector<float>> found;
    for (const int workers : {1, 2, 4}) {
      Options options = gpt_options(Placement::in_process, workers);
      options.algorithm = algorithm;
      options.optimizer = Sgd{.learning_rate = 0.1, .groups = {{.pattern = "w*", .frozen = true}}};
      found.push_back(gpt_after(options, 3));
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
  }
  const TemporaryFolder folder;
  Options options = gpt_options(Placement::in_process, 2);
  options.optimizer = Sgd{.learning_rate = 0.05};
  options.algorithm = Downpour{.record = folder / "record"};
  const std::vector<float> recorded = gpt_after(options);
  options.algorithm = Downpour{.replay = folder / "record"};
  CHECK(gpt_after(options) == recorded);
}

TEST_CASE("reports of a language model count tokens") {
  DistributedSGD sgd("gpt", gpt_options(Placement::in_process, 2));
  CHECK(sgd.report().unit == "tokens");
  const StepReport report = sgd.step();
  CHECK(report.unit == "tokens");
  CHECK(report.samples == 4 * 4 * 20);
  CHECK(report.accuracy().value() < 0.3);
  for (int step = 0; step < 60; ++step) sgd.step();
  const Evaluation evaluation = sgd.evaluate();
  CHECK(evaluation.unit == "tokens");
  CHECK(evaluation.samples % 20 == 0);
  CHECK(evaluation.perplexity().value() == doctest::Approx(std::exp(evaluation.loss)));
  CHECK(evaluation.loss < 0.7 * report.loss);
  CHECK(evaluation.accuracy > 0.35);
  CHECK(code_of([&] { sgd.evaluate(EvaluationSet::test, {.confusion = true}); }) == ErrorCode::unsupported);
  CHECK(sgd.evaluate(EvaluationSet::test, {.top_k = 3}).top_k_accuracy.value() > evaluation.accuracy);
}

TEST_CASE("a trained language model continues a text") {
  const TemporaryFolder folder;
  const std::string path = folder / "gpt.safetensors";
  {
    DistributedSGD sgd("gpt", gpt_options(Placement::in_process, 1));
    for (int step = 0; step < 150; ++step) sgd.step();
    sgd.save(path);
    CHECK(code_of([&] { sgd.load(path, {.new_head = true}); }) == ErrorCode::unsupported);
  }
  CHECK(message_of([&] { Predictor(path, "gpt"); }).find("the layers of 'gpt' do not follow from its name") !=
        std::string::npos);
  const Generator generator(path);
  CHECK(generator.window() == 20);
  const GenerationOptions likeliest{.tokens = 30, .temperature = 0};
  const std::string likely = generator.text("line 4", likeliest);
  CHECK(likely.size() == 30);
  CHECK(likely.find("line") != std::string::npos);
  CHECK(generator.text("line 4", {.tokens = 30, .temperature = 0.9, .top_k = 1}) == likely);
  CHECK(generator.text("line", {.tokens = 30, .seed = 1}) == generator.text("line", {.tokens = 30, .seed = 1}));
  CHECK(generator.text("line", {.tokens = 30, .seed = 1}) != generator.text("line", {.tokens = 30, .seed = 2}));
  CHECK(generator.text("line", {.tokens = 0}).empty());
  const auto refuse = [&](const std::string& prompt, const GenerationOptions& options, const std::string& what) {
    const auto generate = [&] { generator.text(prompt, options); };
    CHECK(code_of(generate) == ErrorCode::invalid_argument);
    CAPTURE(message_of(generate));
    CHECK(message_of(generate).find(what) != std::string::npos);
  };
  refuse("", {}, "the prompt is empty");
  refuse("line \xff", {}, "byte 5 of the prompt is not valid UTF-8");
  refuse("line X", {}, "does not contain X, which is at byte 5");
  refuse(std::string(21, 'l'), {}, "has 21 tokens, but the network has a window of 20");
  refuse("line", {.temperature = -1}, "temperature");
  refuse("line", {.temperature = std::nan("")}, "temperature");
  refuse("line", {.tokens = -1}, "tokens");
  refuse("line", {.top_k = -1}, "top_k");
}
