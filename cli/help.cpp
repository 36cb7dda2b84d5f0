#include "cli/help.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/help_groups.hpp"

namespace troupe::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 28;
/// If a command has more options than this, `--help` shows only the most used options.
constexpr std::size_t kFewOptions = 24;

/// Wraps `text` to lines of at most kWidth columns, in which the text starts at `column`. Returns these lines.
/// @param first is written at the start of the first line, left of the text
std::string wrapped(const std::string& first, const std::string& text, std::size_t column) {
  const std::string indent(column, ' ');
  const bool fits = first.size() < column || first.empty();
  std::string out = first + (fits ? std::string(column - first.size(), ' ') : '\n' + indent);
  std::size_t at = column;
  std::istringstream words(text);
  bool begins = true;
  for (std::string word; words >> word; begins = false) {
    if (!begins && at + 1 + word.size() > kWidth) {
      out += '\n' + indent;
      at = column;
      begins = true;
    }
    out += (begins ? "" : " ") + word;
    at += word.size() + (begins ? 0 : 1);
  }
  return out + '\n';
}

/// Returns the placeholder for the value of an option in the help, with a space before it: " NUMBER", or the name of
/// the option's type. Returns an empty text if the option has no value.
std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  const std::string type = option.get_type_name();
  for (const char* number : {"INT", "UINT", "FLOAT"})
    if (type == number || type.starts_with(std::string(number) + ':')) return " NUMBER";
  if (type == "TEXT:NAME") return " NAME";
  return type.starts_with("TEXT:") ? " TEXT" : type.empty() ? "" : ' ' + type;
}

/// Returns the words that an option accepts, separated by commas. Returns an empty text if the option also accepts
/// other values.
std::string choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  if (begin == std::string::npos || !type.ends_with('}')) return "";
  std::string words = type.substr(begin + 1, type.size() - begin - 2);
  for (std::size_t comma = words.find(','); comma != std::string::npos; comma = words.find(',', comma + 2))
    words.replace(comma, 1, ", ");
  return words;
}

std::string flags_of(const CLI::Option& option) {
  std::string flags;
  for (const std::string& name : option.get_snames()) flags += (flags.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) flags += (flags.empty() ? "--" : ", --") + name;
  return flags;
}

/// Returns the line (or wrapped lines) of the help about an option.
/// @param brief the text about the option; null: the option's description and the list of accepted words
std::string line_of(const CLI::Option& option, const char* brief) {
  std::string text = brief != nullptr ? brief : option.get_description();
  if (brief == nullptr)
    if (const std::string words = choices(option); !words.empty()) text += ". One of " + words;
  if (option.get_type_size() > 0 && !option.get_default_str().empty()) text += " [" + option.get_default_str() + ']';
  for (const CLI::Option* needed : option.get_needs()) text += " (with " + needed->get_name() + ')';
  return wrapped("  " + flags_of(option) + value_name(option), text, kTextColumn);
}

bool is_shown(const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); }

class Help final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    const bool some = mode == CLI::AppFormatMode::Normal && app->get_options(is_shown).size() > kFewOptions;
    std::string text = wrapped("", app->get_description(), 0) + usage(*app, name) + positionals(*app);
    text += options(*app, some) + commands(*app);
    if (some) text += "\n--help-all lists all options.\n";
    return text + footer(*app);
  }

 private:
  static std::string usage(const CLI::App& app, const std::string& name) {
    std::string line = "Usage: " + (name.empty() ? app.get_name() : name) + " [OPTIONS]";
    for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); }))
      line += ' ' + (option->get_required() ? option->get_name(true) : '[' + option->get_name(true) + ']') +
              (is_many(*option) ? " ..." : "");
    return line + (app.get_require_subcommand_min() > 0 ? " COMMAND" : "") + '\n';
  }
  static bool is_many(const CLI::Option& option) { return option.get_expected_max() > 1; }

  static std::string positionals(const CLI::App& app) {
    std::string lines;
    for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); }))
      lines += wrapped("  " + option->get_name(true), option->get_description(), kTextColumn);
    return lines.empty() ? "" : '\n' + lines;
  }

  static bool is_help(const CLI::App& app, const CLI::Option* option) {
    return option == app.get_help_ptr() || option == app.get_help_all_ptr();
  }

  /// Returns the help lines of a command's options, in groups. @param some true: only the most used options
  static std::string options(const CLI::App& app, bool some) {
    std::string grouped;
    std::vector<const CLI::Option*> told;
    for (const HelpGroup& group : help_groups(app.get_name())) {
      std::string lines;
      for (const HelpLine& line : group.lines) {
        const CLI::Option* option = app.get_option_no_throw(std::string("--") + line.flag);
        if (option == nullptr || !is_shown(option)) continue;
        told.push_back(option);
        if (!some || line.brief != nullptr) lines += line_of(*option, some ? line.brief : nullptr);
      }
      if (!lines.empty()) grouped += '\n' + std::string(group.title) + ":\n" + lines;
    }
    std::string own;
    for (const CLI::Option* option : app.get_options(is_shown))
      if (std::ranges::count(told, option) == 0 && !(some && is_help(app, option))) own += line_of(*option, nullptr);
    return (own.empty() ? "" : "\nOptions:\n" + own) + grouped;
  }

  /// Returns the text at the end of a command's help. A subcommand inherits this text from the program in CLI11; in
  /// that case, returns an empty text.
  static std::string footer(const CLI::App& app) {
    const std::string& own = app.get_footer();
    const bool inherited = app.get_parent() != nullptr && app.get_parent()->get_footer() == own;
    return own.empty() || inherited ? "" : '\n' + own + '\n';
  }

  static std::string commands(const CLI::App& app) {
    std::string lines;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      lines += wrapped("  " + command->get_name(), command->get_description(), kTextColumn / 2);
    return lines.empty() ? "" : "\nCommands:\n" + lines;
  }
};

}  // namespace

void set_help(CLI::App& app) {
  app.formatter(std::make_shared<Help>());
  app.set_help_flag("-h,--help", "Print this help");
  app.set_help_all_flag("--help-all", "Print all options");
}

}  // namespace troupe::cli
