#include "cli/train/command_line.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "runtime/redaction.hpp"

namespace troupe::cli {
namespace {

constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

std::string for_shell(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + for_shell(word);
  return without_secrets(std::move(text));
}

std::string command_line_with(const std::vector<std::string>& more) {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (std::search(words.begin(), words.end(), more.begin(), more.end()) == words.end())
    words.insert(words.end(), more.begin(), more.end());
  return shell_text(words);
}

}  // namespace troupe::cli
