#include "cli/train/options/checkpoint_flags.hpp"

#include <cmath>
#include <cstdio>

#include "cli/run_options.hpp"
#include "cli/train/options/count_or_unit.hpp"
#include "cli/train/run/best_weights.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/checkpoint/series.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

/// Sets the interval of checkpoints in `options` from the value of --checkpoint-every: "500" means 500 steps, and "60s"
/// means 60 seconds.
void parse_every(const std::string& text, CheckpointOptions& options) {
  const auto found = parse_count_or_unit(text, 's');
  if (!found)
    throw_invalid("--checkpoint-every '" + printable(text) + "' is neither steps, such as 500, nor time, such as 60s");
  if (found->has_unit)
    options.every = std::chrono::seconds(found->number);
  else
    options.every_steps = found->number;
}

}  // namespace

void CheckpointFlags::add_to(CLI::App& app) {
  auto* to = app.add_option("--checkpoint", folder,
                            "Write checkpoints to this folder during training, at its end, and when Ctrl-C, "
                            "SIGTERM or SIGHUP stops it")
                 ->check(not_empty());
  app.add_option("--checkpoint-every", every, "Interval: steps, such as 500, or time, such as 60s (default)")
      ->needs(to);
  app.add_option("--keep", keep, "How many of the last checkpoints to keep")->check(whole_number(1))->needs(to);
  app.add_option("--keep-best", keep_best,
                 "Keep the weights of the evaluation with the best accuracy, or loss: in the file of --save, and "
                 "in an additional checkpoint")
      ->default_str("")
      ->check(one_of({"accuracy", "loss"}));
  auto* go_on =
      app.add_flag("--resume", resume,
                   "Resume from the newest checkpoint in the folder that verifies, with any number of workers; start "
                   "anew if there is none")
          ->needs(to);
  app.add_flag("--reshard", reshard, "Resume even if the number of shards differs: not bitwise identical to one run")
      ->needs(go_on);
}

void CheckpointFlags::apply(Options& options) const {
  if (folder.empty()) return;
  options.checkpoint.folder = folder;
  options.checkpoint.keep = keep;
  if (!keep_best.empty()) options.checkpoint.keep_best = keep_best == "loss" ? KeepBest::lowest : KeepBest::highest;
  parse_every(every.empty() ? "60s" : every, options.checkpoint);
  options.checkpoint.resume = resume;
  options.checkpoint.reshard = reshard;
}

std::optional<double> CheckpointFlags::metric_of(const Evaluation& test) const {
  const double metric = keep_best == "loss" ? test.loss : test.accuracy;
  return keep_best.empty() || !std::isfinite(metric) ? std::nullopt : std::optional(metric);
}

bool CheckpointFlags::save_best(const std::string& file) const {
  if (keep_best.empty() || folder.empty()) return false;
  const CheckpointSeries series(folder);
  const auto step = best_step(series.list(), keep_best == "accuracy" ? kHighest : kLowest);
  if (!step) return false;
  const std::string path = series.path_of(*step);
  copy_weights(path, file);
  std::printf("%s\n", best_weights_text(file, keep_best, read_manifest(path).metric->value, *step).c_str());
  return true;
}

}  // namespace troupe::cli
