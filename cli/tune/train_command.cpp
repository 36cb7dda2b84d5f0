#include "cli/tune/train_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands.hpp"
#include "cli/config/config_file.hpp"
#include "cli/config/config_keys.hpp"
#include "cli/program.hpp"
#include "cli/words.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

using nlohmann::json;

/// Options of `train` that are not allowed in a search. With most of them, all trials would write to the same file or
/// listen at the same address; others have another meaning in a search.
const std::vector<std::string> kRefused{"--save",   "--report",       "--checkpoint", "--checkpoint-every",
                                        "--record", "--print-config", "--log",        "--listen"};

bool says(const std::string& argument, const std::string& flag) {
  return argument == flag || argument.starts_with(flag + "=");
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Replaces `placeholder` with `text` in all arguments. Returns whether an argument contains the placeholder.
bool replace(std::vector<std::string>& arguments, const std::string& placeholder, const std::string& text) {
  bool there = false;
  for (std::string& argument : arguments) {
    there = there || argument.find(placeholder) != std::string::npos;
    argument = replaced(argument, placeholder, text);
  }
  return there;
}

void refuse_shared(const std::vector<std::string>& words) {
  for (const std::string& flag : kRefused)
    if (std::ranges::any_of(words, [&](const std::string& each) { return says(each, flag); }))
      throw_invalid(flag + " is not for trials of a search: each trial has its own folder");
  try {
    static_cast<void>(json(words).dump());
  } catch (const json::exception&) {
    throw_invalid("the arguments of trials are not UTF-8");
  }
}

/// A parser for the arguments of `train`, with the same options and defaults as the program.
struct Parser {
  int status = 0;
  CLI::App app;

  Parser() {
    set_option_defaults(app);
    add_train(app, status);
  }
  CLI::App& train() { return *app.get_subcommand("train"); }
  const CLI::App& train() const { return *app.get_subcommand("train"); }
  void parse(std::vector<std::string> words) {
    words.insert(words.begin(), "train");
    std::reverse(words.begin(), words.end());  // CLI11 expects the reverse order
    try {
      app.parse(words);
    } catch (const CLI::ParseError& error) {
      throw_invalid(describe(app, error));
    }
  }
};

std::vector<std::string> words_by(const Parser& parser, std::vector<std::string> words, const json& values) {
  json options = json::object();
  for (const auto& [key, value] : values.items()) {
    const bool is_option = option_of(parser.train(), key) != nullptr || is_section(parser.train(), key);
    if (is_option || value.is_structured() || !replace(words, '{' + key + '}', text_of(value))) options[key] = value;
  }
  const auto said = words_of(parser.train(), options, "the space", words);
  refuse_shared(said);
  words.insert(words.end(), said.begin(), said.end());
  return words;
}

}  // namespace

TrainCommand::TrainCommand(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  refuse_shared(arguments_);
}

std::string TrainCommand::typed(const std::string& flag) const { return flag_value(arguments_, flag); }

std::vector<std::string> TrainCommand::words(const json& values) const {
  return words_by(Parser(), arguments_, values);
}

void TrainCommand::check(const json& values) const {
  Parser parser;
  const auto words = words_by(parser, arguments_, values);
  parser.train().callback([] {});
  parser.parse(words);
}

void TrainCommand::run(const std::vector<std::string>& words) {
  Parser parser;
  try {
    parser.parse(words);
  } catch (const Error& error) {
    throw Error(error.code(), with_options(parser.train(), error.message()), error.where());
  }
  if (parser.status != 0)
    throw Error(ErrorCode::worker_lost, "the training ended with status " + std::to_string(parser.status));
}

}  // namespace troupe::cli
