#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {

/// What makes things of one sort, by name. For several threads.
template <class Make>
class Registry {
 public:
  /// @param sort of things, for errors, such as "model"
  explicit Registry(std::string sort) : sort_(std::move(sort)) {}

  /// @throws Error invalid_argument for a name that is taken or cannot be shown, or nothing to make it with.
  void add(const std::string& name, Make make) {
    if (name.empty() || !is_printable(name)) throw_invalid("a name for a " + sort_ + " is empty or cannot be shown");
    if (!make) throw_invalid("no creator for " + sort_ + " '" + name + "'");
    const std::scoped_lock lock(mutex_);
    if (!makers_.try_emplace(name, std::move(make)).second)
      throw_invalid("a " + sort_ + " named '" + name + "' is registered already");
  }

  /// It stays valid. @throws Error invalid_argument that lists the known names.
  const Make& find(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = makers_.find(name); found != makers_.end()) return found->second;
    throw_invalid("no " + sort_ + " named '" + name + "'; " + known());
  }

 private:
  /// Things of Troupe's own commands, which are nobody's choice.
  static constexpr const char* kInternal = "troupe-";

  std::string known() const {
    std::string names;
    for (const auto& [name, make] : makers_)
      if (!name.starts_with(kInternal)) names += (names.empty() ? "there are " : ", ") + name;
    return names.empty() ? "none is registered" : names;
  }

  std::string sort_;
  std::mutex mutex_;
  std::map<std::string, Make> makers_;
};

}  // namespace troupe
