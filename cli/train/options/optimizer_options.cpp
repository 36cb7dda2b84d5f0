#include "cli/train/options/optimizer_options.hpp"

#include <algorithm>
#include <utility>

#include "cli/config/group_flag.hpp"
#include "cli/run_options.hpp"
#include "models/optimizers/schedule.hpp"

namespace troupe::cli {

void set_default_rates(CLI::App& train, OptimizerSettings& optimizer, bool seed_example, const std::string& kind) {
  const Optimizer usual = usual_optimizer(kind);
  const bool is_sgd = std::holds_alternative<Sgd>(usual);
  optimizer.learning_rate = seed_example ? 1e-6 : is_sgd ? 0.05 : settings_of(usual, 0).learning_rate;
  optimizer.momentum = is_sgd && !seed_example ? 0.9 : 0;
  train.get_option("--learning-rate")->default_str(short_text(optimizer.learning_rate));
  train.get_option("--momentum")->default_str(short_text(optimizer.momentum));
}

void add_optimizer_options(CLI::App& app, OptimizerSettings& optimizer) {
  app.add_option("--optimizer", optimizer.kind, "sgd, adagrad, adam or adamw")->check(registered_optimizer());
  app.add_option("--learning-rate", optimizer.learning_rate,
                 "Rate of the first step after the warm-up; default: 0.05 for sgd, 0.001 for adam and adamw, 0.01 for "
                 "adagrad; tfbench: 1e-6 and no momentum");
  app.add_option("--momentum", optimizer.momentum, "Momentum of sgd only");
  app.add_flag("--nesterov", optimizer.nesterov, "Nesterov's momentum");
  app.add_option("--weight-decay", optimizer.weight_decay, "L2 penalty; adamw: decay of the weights themselves");
  app.add_option("--clip-norm", optimizer.clip_norm,
                 "Scale the mean gradient down to this norm if it is larger; 0: never");
  const auto add_groups = [&optimizer](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) optimizer.groups.push_back(parse_group(text));
  };
  app.add_option_function<std::vector<std::string>>(
         "--group", add_groups,
         "Tensors with their own decay or rate, such as '*.bias:weight_decay=0,learning_rate_factor=2'; may be "
         "repeated; the first match of a tensor counts")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--freeze-tensors",
         [&optimizer](const std::vector<std::string>& patterns) {
           std::vector<ParameterGroup> frozen;
           frozen.reserve(patterns.size());
           for (const std::string& pattern : patterns) frozen.push_back({.pattern = pattern, .frozen = true});
           optimizer.groups.insert(optimizer.groups.begin(), frozen.begin(), frozen.end());
         },
         "Tensors that stay unchanged, such as 'layer1.*' or '*.running_*'; may be repeated, and wins over "
         "--group")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--schedule", [&optimizer](const std::string& name) { optimizer.schedule.kind = schedule_kind_of(name); },
         "How the rate changes: constant, step, cosine, linear or wsd")
      ->check(one_of({"constant", "step", "cosine", "linear", "wsd"}))
      ->default_str(to_string(optimizer.schedule.kind));
  app.add_option("--warmup-steps", optimizer.schedule.warmup_steps, "Steps over which the rate rises from 0");
  app.add_option("--schedule-steps", optimizer.schedule.step_size, "step: steps between two changes of the rate");
  app.add_option("--schedule-gamma", optimizer.schedule.gamma, "step: factor of each change");
  app.add_option("--schedule-total", optimizer.schedule.total_steps,
                 "cosine, linear, wsd: steps until the rate has come down; default: all steps of the training")
      ->default_str("");
  app.add_option("--schedule-decay", optimizer.schedule.decay_steps,
                 "wsd: steps at the end during which the rate comes down; 0: a tenth of all");
}

void end_with_last_step(const CLI::App& train, OptimizerSettings& optimizer,
                        std::shared_ptr<const std::int64_t> last_step) {
  const ScheduleKind kind = optimizer.schedule.kind;
  const bool ends = kind == ScheduleKind::cosine || kind == ScheduleKind::linear || kind == ScheduleKind::wsd;
  if (!ends || train.get_option("--schedule-total")->count() > 0) return;
  check_schedule(optimizer.schedule);
  optimizer.learning_rate_at = [rate = optimizer.learning_rate, schedule = optimizer.schedule,
                                last_step = std::move(last_step)](std::int64_t step) {
    Schedule whole = schedule;
    whole.total_steps = std::max<std::int64_t>(1, *last_step - schedule.warmup_steps);
    return rate * schedule_factor(whole, step);
  };
  optimizer.schedule = {};
}

}  // namespace troupe::cli
