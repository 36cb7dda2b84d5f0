#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/file_patterns.hpp"
#include "models/data/tokens/token_file.hpp"
#include "runtime/http/open_bytes.hpp"
#include "runtime/invalid.hpp"
#include "runtime/random.hpp"
#include "troupe/error.hpp"
#include "troupe/pipeline.hpp"

namespace troupe {
namespace {

/// Separates the random places of windows from other uses of the seed.
constexpr std::uint64_t kWindowStream = 0x77696E64ULL << 32;

/// The arguments after "tokens:" in a data name.
struct TokenArguments {
  std::vector<std::string> files;
  std::vector<std::string> test_files;
  TokenFormat format = TokenFormat::detect;
  std::int64_t window = 1024;
  std::int64_t vocabulary = 0;  ///< 0: TokenFile::usual_vocabulary
  bool random = false;          ///< whether the places of the windows are drawn for each epoch
};

TokenFormat format_of(const std::string& name) {
  if (name == "raw") return TokenFormat::raw;
  if (name == "llmc") return TokenFormat::llmc;
  if (name == "npy") return TokenFormat::npy;
  throw_invalid("tokens: format=" + name + " must be raw, llmc or npy");
}

std::int64_t vocabulary_of(const std::string& text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > kMostTokens)
    throw_invalid("tokens: vocabulary=" + text + " must be an integer from 1 to " + std::to_string(kMostTokens));
  return count;
}

TokenArguments parse_token_arguments(const std::string& text) {
  TokenArguments asked;
  const auto add = [](std::vector<std::string>& files, const std::string& pattern) {
    std::ranges::move(files_of(pattern, Servers::refused), std::back_inserter(files));
  };
  const auto windows = [&](const std::string& value) {
    if (value != "epoch" && value != "random") throw_invalid("tokens: windows=" + value + " must be epoch or random");
    asked.random = value == "random";
  };
  const auto patterns = parse_data_arguments(
      "tokens", text, kTokensUsage,
      {{"test", [&](const std::string& value) { add(asked.test_files, value); }},
       {"window", [&](const std::string& value) { asked.window = data_length("tokens: window", value); }},
       {"windows", windows},
       {"vocabulary", [&](const std::string& value) { asked.vocabulary = vocabulary_of(value); }},
       {"format", [&](const std::string& value) { asked.format = format_of(value); }}});
  for (const std::string& pattern : patterns) add(asked.files, pattern);
  if (asked.window < 2) throw_invalid("tokens: window=1 must be at least 2");
  if (asked.files.empty()) throw_invalid("tokens:" + text + " does not name a file; usage: tokens" + kTokensUsage);
  return asked;
}

/// The windows of a file of tokens, as data. A sample is a window, and its label at each position is the next token.
class TokenWindows final : public DataSource {
 public:
  TokenWindows(TokenFile file, const TokenArguments& asked)
      : DataSource(info_of(file, asked)), file_(std::move(file)), window_(asked.window), random_(asked.random) {}

 private:
  static DataInfo info_of(const TokenFile& file, const TokenArguments& asked) {
    if (file.size() <= asked.window)
      throw Error(ErrorCode::bad_data,
                  std::to_string(file.size()) + " tokens are too few for one window of " +
                      std::to_string(asked.window) + " and the token after it",
                  {.object = file.path()});
    const std::int64_t vocabulary = asked.vocabulary > 0 ? asked.vocabulary : file.usual_vocabulary();
    DataInfo info{.num_samples = (file.size() - 1) / asked.window,
                  .shape = {asked.window},
                  .num_classes = static_cast<int>(vocabulary),
                  .labels_per_sample = asked.window,
                  .vocabulary = vocabulary};
    info.origin = file.path();
    info.varies = asked.random;
    info.slow = true;
    return info;
  }

  void read(const BatchRequest& request) const override {
    const auto window = static_cast<std::size_t>(window_);
    std::vector<std::uint32_t> tokens(window + 1);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      file_.read(first_of(request.samples[i], request.drawn), tokens, info().vocabulary);
      for (std::size_t place = 0; place < window; ++place) {
        request.values[i * window + place] = static_cast<float>(tokens[place]);
        request.labels[i * window + place] = static_cast<std::int32_t>(tokens[place + 1]);
      }
    }
  }

  /// Returns the number of the first token of a sample.
  std::int64_t first_of(std::int64_t sample, const std::optional<DrawnFor>& drawn) const {
    if (!random_ || !drawn) return sample * window_;
    Random random(drawn->seed, kWindowStream + static_cast<std::uint64_t>(drawn->epoch),
                  static_cast<std::uint64_t>(sample));
    const std::int64_t first = sample * window_;
    const std::int64_t places = std::min(window_, file_.size() - window_ - first);
    return first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(places)));
  }

  TokenFile file_;
  std::int64_t window_;
  bool random_;
};

std::shared_ptr<const DataSource> windows_of(const std::vector<std::string>& paths, const TokenArguments& asked) {
  std::vector<std::shared_ptr<const DataSource>> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths)
    parts.push_back(std::make_shared<const TokenWindows>(TokenFile(open_bytes(path), asked.format), asked));
  return parts.size() == 1 ? parts.front() : data::concat(std::move(parts));
}

}  // namespace

TrainingData token_files(const std::string& arguments, std::uint64_t seed) {
  return token_files_like(arguments, {}, seed);
}

TrainingData token_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t /*seed*/) {
  TokenArguments asked = parse_token_arguments(arguments);
  if (asked.vocabulary == 0) asked.vocabulary = trained.vocabulary;
  TrainingData data{windows_of(asked.files, asked)};
  asked.vocabulary = data.train->info().vocabulary;
  if (!asked.test_files.empty()) data.test = windows_of(asked.test_files, asked);
  return data;
}

}  // namespace troupe
