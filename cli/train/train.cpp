#include <memory>

#include "cli/commands.hpp"
#include "cli/profile.hpp"
#include "cli/train/cross_validation.hpp"
#include "cli/train/options/count_or_unit.hpp"
#include "cli/train/options/optimizer_options.hpp"
#include "cli/train/run/training.hpp"
#include "cli/train/save_path.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/call.hpp"

namespace troupe::cli {

namespace {

/// Parses the value of --evaluate-every: "500" means 500 steps, and "2e" means 2 epochs. @throws Error invalid_argument
EvaluateEvery parse_evaluate_every(const std::string& text) {
  const auto found = parse_count_or_unit(text, 'e');
  if (!found)
    throw_invalid("--evaluate-every '" + printable(text) + "' is neither steps, such as 500, nor epochs, such as 2e");
  return found->has_unit ? EvaluateEvery{.epochs = found->number} : EvaluateEvery{.steps = found->number};
}

}  // namespace

void register_profile() {
  register_model_function(kProfileFunction, [](Model& model, std::span<const float> /*weights*/) {
    return layer_times_json(model.profile());
  });
}

void add_train(CLI::App& app, int& status) {
  auto options = std::make_shared<TrainOptions>();
  options->run.sgd.num_workers = 2;
  CLI::App& train = *app.add_subcommand(
      "train", "Train a model; the last lines printed are the test loss, the test accuracy (or R2) and a hash");
  options->run.add_to(train);
  options->checkpoint.add_to(train);
  options->log.add_to(train);
  train
      .add_flag("--new-head", options->run.new_head,
                "For data with other classes or targets than the network of --load: its last layer, and other tensors "
                "that do not fit, start anew")
      ->needs(train.get_option("--load"));
  OptimizerSettings& optimizer = options->run.optimizer;
  add_optimizer_options(train, optimizer);
  // The options --model, --outer and --optimizer set default rates. CLI11 handles the typed options in the order in
  // which they were added to the command. These three options were added before the options for the rates, so a typed
  // rate replaces the default.
  const auto by_name = [options, &train, &optimizer](const std::string& model, const std::string& kind) {
    set_default_rates(train, optimizer, model == "tfbench", kind);
  };
  by_name("", optimizer.kind);
  train.get_option("--outer")->each([options, &train, &optimizer, by_name](const std::string& rule) {
    if (rule != "nesterov" || options->run.algorithm.name() != "local") return;
    optimizer.kind = "adamw";
    train.get_option("--optimizer")->default_str(optimizer.kind);
    by_name(options->run.model, optimizer.kind);
  });
  train.get_option("--model")->each([=](const std::string& model) { by_name(model, "sgd"); });
  train.get_option("--optimizer")->each([=](const std::string& kind) { by_name(options->run.model, kind); });
  auto* epochs =
      train.add_option("--epochs", options->epochs, "Passes over the data; default: 2, and 100 steps for lbfgs")
          ->default_str("")
          ->check(whole_number(1));
  train
      .add_option_function<std::string>(
          "--evaluate-every",
          [options](const std::string& text) { options->evaluate_every = parse_evaluate_every(text); },
          "Evaluate the test set, or --validate's, every N steps, such as 500, or epochs, such as 2e")
      ->type_name("STEPS|EPOCHSe")
      ->default_str("1e");
  train
      .add_option("--patience", options->patience,
                  "Stop after this many evaluations of --validate's set without a better loss, or --keep-best metric")
      ->default_str("")
      ->check(whole_number(1))
      ->needs(train.get_option("--validate"));
  train
      .add_option("--cross-validate", options->cross_validate,
                  "Train this many times, each time without another part of the training set, and evaluate it; "
                  "print each result, mean and deviation. Keeps no weights")
      ->default_str("")
      ->type_name("FOLDS")
      ->check(whole_number(2));
  train.add_option("--steps", options->steps, "Steps, instead of epochs")
      ->default_str("")
      ->check(whole_number(1))
      ->excludes(epochs);
  auto* report = train
                     .add_option("--report", options->report,
                                 "Write JSON objects to this file: one per step, one per epoch, and the profile")
                     ->check(not_empty());
  train
      .add_flag("--hash", options->hash, "Add hashes of loss and weights to each step of the report, for `troupe diff`")
      ->needs(report);
  train.add_flag("--profile", options->profile, "Print the time of each kind of layer");
  train
      .add_option("--save", options->save, "Write the weights to this safetensors file; with --keep-best the best ones")
      ->check(not_empty());
  auto* verbose = train.add_flag("--verbose", options->verbose, "Print the phases of every step");
  train.add_flag("--quiet", options->quiet, "Print the last lines only")->excludes(verbose);
  train.callback([options, &train, &status] {
    end_with_last_step(train, options->run.optimizer, options->last_step);
    if (options->cross_validate > 0) {
      status = cross_validate(*options);
      return;
    }
    if (!options->checkpoint.keep_best.empty() && options->checkpoint.folder.empty() && options->save.empty())
      throw_invalid("--keep-best needs --save, whose file then has the best weights, or --checkpoint");
    if (!options->save.empty()) check_save_path(options->save, {options->report, options->run.algorithm.record()});
    options->checkpoint.apply(options->run.sgd);
    options->log.apply(options->run.sgd);
    status = cli::train(*options);
  });
}

}  // namespace troupe::cli
