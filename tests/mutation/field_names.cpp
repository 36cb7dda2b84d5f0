#include "mutation/field_names.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>

namespace troupe_test {
namespace {

using Names = std::map<std::string, std::vector<std::string>, std::less<>>;

void read_names(const std::filesystem::path& header, Names& names) {
  static const std::regex function(R"(auto fields\((\w+)& x, F visit\) \{\s*return visit\(([^;]*)\);)");
  static const std::regex field(R"(\bx\.([\w.]+))");
  std::ifstream file(header);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (std::sregex_iterator at(text.begin(), text.end(), function); at != std::sregex_iterator(); ++at) {
    const std::string list = (*at)[2];
    for (std::sregex_iterator each(list.begin(), list.end(), field); each != std::sregex_iterator(); ++each)
      names[(*at)[1]].push_back((*each)[1]);
  }
}

Names read_all() {
  Names names;
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(root / "actors" / "messages"))
    if (entry.path().extension() == ".hpp") read_names(entry.path(), names);
  return names;
}

}  // namespace

const std::vector<std::string>& field_names(std::string_view type) {
  static const Names names = read_all();
  const auto found = names.find(type);
  if (found == names.end()) throw std::logic_error("no function `fields` was found for " + std::string(type));
  return found->second;
}

}  // namespace troupe_test
