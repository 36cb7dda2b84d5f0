#include "cli/config/config_file.hpp"
#include "fuzz/support.hpp"

using namespace troupe;

namespace {

/// Options like those of the program: words, numbers, lists, flags, mutually exclusive options, and subcommands.
struct Options {
  Options() {
    app.name("troupe");
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    CLI::App& train = *app.add_subcommand("train");
    train.add_option("--workers", workers);
    train.add_option("--learning-rate", learning_rate);
    auto* const epochs = train.add_option("--epochs", number);
    train.add_option("--steps", number)->excludes(epochs);
    train.add_option("--placement", text)->check(CLI::IsMember({"in-process", "processes"}));
    train.add_option("--group", groups)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    train.add_flag("--profile", flag);
    train.add_flag("!--any-order", flag);
  }

  CLI::App app;
  int workers = 1;
  std::int64_t number = 0;
  double learning_rate = 0;
  std::string text;
  std::vector<std::string> groups;
  bool flag = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  for (const auto& typed : {std::vector<std::string>{"train"}, {"train", "--steps", "3"}})
    fuzz::may_refuse(
        [&] {
          Options options;
          auto arguments = typed;
          arguments.insert(arguments.end(), {"--config", path});
          arguments = cli::expand_config(options.app, arguments);
          std::reverse(arguments.begin(), arguments.end());
          try {
            options.app.parse(arguments);
          } catch (const CLI::ParseError&) {  // as in main
          }
        },
        {ErrorCode::bad_file, ErrorCode::invalid_argument});
  return 0;
}
