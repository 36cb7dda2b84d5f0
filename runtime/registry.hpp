#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {

/// What makes things of one sort, by name. For several threads.
template <class Make>
class Registry {
 public:
  /// @param sort of things, for errors, such as "model"
  /// @param hint what errors say behind it where there are none
  explicit Registry(std::string sort, std::string hint = "") : sort_(std::move(sort)), hint_(std::move(hint)) {}

  /// @param usage what errors list behind the name, such as "[:DIR]"
  /// @throws Error invalid_argument for a name that is taken or cannot be shown, or nothing to make it with.
  void add(const std::string& name, Make make, const std::string& usage = "") {
    if (name.empty() || !is_printable(name))
      throw_invalid("the name of this " + sort_ + " is empty or cannot be shown");
    if (!make) throw_invalid("no creator for " + sort_ + " '" + name + "'");
    const std::scoped_lock lock(mutex_);
    if (!makers_.try_emplace(name, Entry{std::move(make), usage}).second)
      throw_invalid(sort_ + " '" + name + "' is registered already");
  }

  /// It stays valid. @throws Error invalid_argument that lists the known names, with the one that may be meant.
  const Make& find(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = makers_.find(name); found != makers_.end()) return found->second.make;
    throw_invalid("no " + sort_ + " named '" + name + "'; " + known() + did_you_mean(name, names()));
  }

 private:
  /// Things of Troupe's own commands, which are nobody's choice.
  static constexpr const char* kInternal = "troupe-";

  struct Entry {
    Make make;
    std::string usage;
  };

  std::string known() const {
    std::string listed;
    for (const std::string& name : names())
      listed += (listed.empty() ? "there are " : ", ") + name + makers_.at(name).usage;
    return listed.empty() ? "none is registered" + hint_ : listed;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : makers_)
      if (!name.starts_with(kInternal)) names.push_back(name);
    return names;
  }

  std::string sort_;
  std::string hint_;
  std::mutex mutex_;
  std::map<std::string, Entry> makers_;
};

}  // namespace troupe
