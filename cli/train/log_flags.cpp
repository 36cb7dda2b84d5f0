#include "cli/train/log_flags.hpp"

#include <algorithm>

#include "troupe/callback.hpp"

namespace troupe::cli {

void LogFlags::add_to(CLI::App& app) {
  app.add_option("--log", texts,
                 "Log steps and evaluations as they come: csv:FILE, json:FILE, tensorboard:FOLDER, which TensorBoard "
                 "reads, and progress, with commas between; may be said again")
      ->default_str("")
      ->allow_extra_args(false);
}

void LogFlags::apply(Options& options) const {
  for (const std::string& text : texts)
    for (auto& each : callbacks::from_text(text)) options.callbacks.push_back(std::move(each));
}

bool LogFlags::shows_progress() const {
  return std::ranges::any_of(
      texts, [](const std::string& text) { return ("," + text + ",").find(",progress,") != std::string::npos; });
}

}  // namespace troupe::cli
