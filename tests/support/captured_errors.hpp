#pragma once

#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>

#include "support/patience.hpp"

namespace troupe_test {

/// Captures everything that any thread writes to std::cerr during the lifetime of this object.
class CapturedErrors : public std::streambuf {
 public:
  CapturedErrors() : before_(std::cerr.rdbuf(this)) {}
  ~CapturedErrors() override { std::cerr.rdbuf(before_); }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  /// Waits until the captured text contains `part`. Returns false after a timeout (kPatience).
  bool hears(const std::string& part) const {
    return comes_true([&] { return text().find(part) != std::string::npos; });
  }

 protected:
  int overflow(int c) override {
    const std::lock_guard lock(mutex_);
    text_ += static_cast<char>(c);
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::lock_guard lock(mutex_);
    text_.append(text, static_cast<std::size_t>(size));
    return size;
  }

 private:
  std::streambuf* before_;
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace troupe_test
