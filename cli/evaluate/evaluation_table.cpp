#include "cli/evaluate/evaluation_table.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

constexpr std::size_t kMostClassLines = 100;
constexpr std::size_t kWorstClasses = 20;
constexpr std::size_t kMostDrawnClasses = 20;
constexpr std::size_t kMostPairs = 10;
constexpr std::size_t kLongestClassName = 16;  ///< maximum length of a class name in characters

bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}  // returns whether the byte is the first byte of a UTF-8 character

std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

/// Shortens a class name to at most kLongestClassName characters, with an ellipsis at the end.
std::string shortened(const std::string& text) {
  if (letters_of(text) <= kLongestClassName) return text;
  std::size_t letters = 0;
  std::size_t end = 0;
  while (letters < kLongestClassName) letters += begins_letter(text[end++]) ? 1 : 0;
  return text.substr(0, end - 1) + "…";
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, letters_of(text)), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// Returns the number and the name of a class, such as "3 Dress"; only the number if classes have no names.
std::string class_text(const Evaluation& evaluation, std::size_t number) {
  std::string text = std::to_string(number);
  if (number < evaluation.class_names.size()) text += " " + shortened(printable(evaluation.class_names[number]));
  return text;
}

std::vector<std::string> class_texts(const Evaluation& evaluation) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < evaluation.classes.size(); ++i) texts.push_back(class_text(evaluation, i));
  return texts;
}

std::size_t width_of(const std::vector<std::string>& texts, std::size_t least) {
  for (const std::string& text : texts) least = std::max(least, letters_of(text));
  return least;
}

std::string class_line(const std::string& text, std::size_t width, const ClassMetrics& metrics) {
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, "  %9.4f  %6.4f  %6.4f  %8lld\n", metrics.precision, metrics.recall,
                metrics.f1, static_cast<long long>(metrics.support));
  return padded(text, width) + numbers;
}

std::string target_line(const std::string& text, std::size_t width, const TargetMetrics& metrics) {
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, "  %12.6g  %12.6g  %10.6f\n", metrics.mse, metrics.mae, metrics.r2);
  return padded(text, width) + numbers;
}

/// Returns the numbers of the classes that the table shows. If there are at most kMostClassLines classes, these are all
/// classes; otherwise the kWorstClasses classes with the lowest F1 score.
std::vector<std::size_t> classes_told(const Evaluation& evaluation) {
  std::vector<std::size_t> classes(evaluation.classes.size());
  std::iota(classes.begin(), classes.end(), std::size_t{0});
  if (classes.size() <= kMostClassLines) return classes;
  std::ranges::stable_sort(classes, {}, [&](std::size_t each) { return evaluation.classes[each].f1; });
  classes.resize(kWorstClasses);
  return classes;
}

struct Pair {
  std::size_t is = 0;
  std::size_t taken_for = 0;
  std::int64_t count = 0;
};

std::vector<Pair> most_confused(const Evaluation& evaluation) {
  const std::size_t side = evaluation.classes.size();
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < evaluation.confusion.size(); ++i)
    if (i / side != i % side && evaluation.confusion[i] > 0)
      pairs.push_back({i / side, i % side, evaluation.confusion[i]});
  std::ranges::stable_sort(pairs, std::ranges::greater(), &Pair::count);
  pairs.resize(std::min(pairs.size(), kMostPairs));
  return pairs;
}

std::string pairs_table(const Evaluation& evaluation) {
  std::string table = "most often taken for another class:\n";
  for (const Pair& pair : most_confused(evaluation)) {
    char share[64];
    std::snprintf(share, sizeof share, "%lld of %lld\n", static_cast<long long>(pair.count),
                  static_cast<long long>(evaluation.classes[pair.is].support));
    table += "  " + class_text(evaluation, pair.is) + " as " + class_text(evaluation, pair.taken_for) + ": " + share;
  }
  return table;
}

}  // namespace

std::string class_table(const Evaluation& evaluation) {
  const std::vector<std::string> texts = class_texts(evaluation);
  const std::size_t width = width_of(texts, std::string("mean").size());
  const auto told = classes_told(evaluation);
  std::string table = padded("class", width) + "  precision  recall      f1   support\n";
  for (const std::size_t each : told) table += class_line(texts[each], width, evaluation.classes[each]);
  if (told.size() < texts.size())
    table +=
        "(the " + std::to_string(told.size()) + " of " + std::to_string(texts.size()) + " whose f1 is the lowest)\n";
  return table + class_line("mean", width, evaluation.macro);
}

std::string confusion_table(const Evaluation& evaluation) {
  const std::size_t side = evaluation.classes.size();
  if (side > kMostDrawnClasses) return pairs_table(evaluation);
  const std::vector<std::string> texts = class_texts(evaluation);
  const std::string corner = "is \\ taken for";
  const std::size_t width = width_of(texts, corner.size());
  std::size_t column = std::to_string(side - 1).size();
  for (const std::int64_t count : evaluation.confusion) column = std::max(column, std::to_string(count).size());
  std::string table = padded(corner, width);
  for (std::size_t c = 0; c < side; ++c) table += "  " + right(std::to_string(c), column);
  for (std::size_t i = 0; i < evaluation.confusion.size(); ++i) {
    if (i % side == 0) table += "\n" + padded(texts[i / side], width);
    const std::int64_t count = evaluation.confusion[i];
    table += "  " + right(count == 0 ? "." : std::to_string(count), column);
  }
  return table + "\n";
}

std::string target_table(const Evaluation& evaluation) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(evaluation.targets.size(), kMostClassLines); ++i)
    texts.push_back(i < evaluation.target_names.size() ? shortened(printable(evaluation.target_names[i]))
                                                       : std::to_string(i));
  const std::size_t width = width_of(texts, std::string("target").size());
  std::string table = padded("target", width) + "           mse           mae          r2\n";
  for (std::size_t i = 0; i < texts.size(); ++i) table += target_line(texts[i], width, evaluation.targets[i]);
  if (evaluation.targets.size() > kMostClassLines) table += "(the first " + std::to_string(kMostClassLines) + ")\n";
  if (evaluation.targets.size() > 1) table += target_line("all", width, evaluation.all_targets);
  return table;
}

}  // namespace troupe::cli
