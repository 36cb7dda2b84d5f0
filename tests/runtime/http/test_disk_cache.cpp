#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/http/disk_cache.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

std::vector<std::byte> bytes_of(int value, std::size_t size) { return {size, static_cast<std::byte>(value)}; }

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t all = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder))
    if (each.path().extension() == ".part") all += each.file_size();
  return all;
}

/// Makes all entries a second older, so that the next one is the newest.
void age_entries(const std::string& folder) {
  for (const auto& each : std::filesystem::directory_iterator(folder))
    if (each.path().extension() == ".part")
      std::filesystem::last_write_time(each.path(), each.last_write_time() - std::chrono::seconds(1));
}

}  // namespace

TEST_CASE("a cache on disk keeps what was used last, and never more than its size") {
  const TemporaryFolder folder;
  const std::string place = folder / "deep" + "/cache";
  DiskCache cache(place, 10'500);
  for (int i = 0; i < 10; ++i) {
    cache.keep(std::to_string(i), bytes_of(i, 1000));
    age_entries(place);
  }
  CHECK(cache.read("0", 1000) == bytes_of(0, 1000));  // is now the last one that was used
  cache.keep("10", bytes_of(10, 1000));
  CHECK(bytes_in(place) <= 10'500);
  CHECK(cache.read("0", 1000));
  CHECK_FALSE(cache.read("1", 1000));
  CHECK(cache.expect("3"));
  CHECK_FALSE(cache.expect("1"));
  cache.keep("large", bytes_of(1, 11'000));
  CHECK_FALSE(cache.read("large", 11'000));
  CHECK(cache.read("10", 1000));
  CHECK(DiskCache(place, 10'500).read("10", 1000));  // another run
}

TEST_CASE("a damaged or truncated entry of the cache is not used") {
  const TemporaryFolder folder;
  const std::string place = folder / "cache";
  DiskCache cache(place, 100'000);
  for (const std::uint64_t left : {0U, 7U, 8U, 500U, 1007U}) {
    cache.keep("a", bytes_of(1, 1000));
    CHECK(cache.read("a", 1000));
    for (const auto& each : std::filesystem::directory_iterator(place))
      if (each.path().extension() == ".part") std::filesystem::resize_file(each.path(), left);
    CHECK_FALSE(cache.read("a", 1000));
    CHECK(bytes_in(place) == 0);
  }
  cache.keep("a", bytes_of(1, 1000));
  CHECK_FALSE(cache.read("a", 999));
}

TEST_CASE("a cache on disk removes what a killed process has left, and no other file") {
  const TemporaryFolder folder;
  const std::string place = folder / "cache";
  DiskCache cache(place, 3'000);
  cache.keep("a", bytes_of(1, 1000));
  const auto add = [&](const std::string& name) {
    std::ofstream(place + "/" + name) << "other";
    std::filesystem::last_write_time(place + "/" + name,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  };
  const std::string digits(32, 'a');
  for (const std::string& name : {digits + ".part-12-1.tmp", std::string("download.part"), std::string("notes.tmp")})
    add(name);
  for (int i = 0; i < 5; ++i) cache.keep(std::to_string(i), bytes_of(i, 1000));
  CHECK_FALSE(std::filesystem::exists(place + "/" + digits + ".part-12-1.tmp"));
  CHECK(std::filesystem::exists(place + "/download.part"));
  CHECK(std::filesystem::exists(place + "/notes.tmp"));
}

TEST_CASE("several threads and a full disk do not disturb the cache") {
  const TemporaryFolder folder;
  const std::string place = folder / "cache";
  DiskCache cache(place, 50'000);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const std::string key = std::to_string((i + t) % 20);
          cache.keep(key, bytes_of((i + t) % 20, 4000));
          const auto found = cache.read(key, 4000);
          CHECK((!found || *found == bytes_of((i + t) % 20, 4000)));
        }
      });
  }
  CHECK(bytes_in(place) <= 50'000);
  std::filesystem::remove_all(place);
  cache.keep("a", bytes_of(1, 10));  // the folder is gone
  CHECK_FALSE(cache.read("a", 10));
}

TEST_CASE("a cache on disk that is wrong, or that others may write to, is refused") {
  const TemporaryFolder folder;
  const auto of = [](const std::string& value) {
    ::setenv(kDataCache, value.c_str(), 1);
    const auto code = code_of([] { DiskCache::of_environment(); });
    ::unsetenv(kDataCache);
    return code;
  };
  for (const char* const text : {"/tmp", "/tmp,", ",5G", "/tmp,5X", "/tmp,-5", "/tmp,0", "/tmp,1e30", "/tmp,nan"})
    CHECK(of(text) == ErrorCode::invalid_argument);
  CHECK_FALSE(of(folder / "a" + ",1.5GB"));
  CHECK_FALSE(of(folder / "a" + ",500M"));
  std::filesystem::create_directory(folder / "open");
  ::chmod((folder / "open").c_str(), 0777);
  CHECK(of(folder / "open" + ",5G") == ErrorCode::bad_file);
  CHECK_FALSE(of(folder / "b" + "//,5G"));
  CHECK(of("/proc/none,5G") == ErrorCode::bad_file);
  CHECK(DiskCache::of_environment() == nullptr);
}
