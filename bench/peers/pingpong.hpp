#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

// Shared code of the programs ..._pingpong, which measure the same as `troupe-bench transports`.

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t kWord = 3;

struct Arguments {
  long rounds = 0;  // 0: more rounds for shorter messages
  std::vector<long> bytes;
};

inline Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string("--rounds") && i + 1 < argc)
      arguments.rounds = std::atol(argv[++i]);
    else
      arguments.bytes.push_back(std::atol(argv[i]));
  }
  return arguments;
}

inline bool are_right(const Arguments& arguments) {
  const auto& bytes = arguments.bytes;
  return arguments.rounds >= 0 && !bytes.empty() &&
         std::all_of(bytes.begin(), bytes.end(), [](long each) { return each >= 4 && each <= 2'000'000'000; });
}

inline std::size_t words_of(long bytes) { return static_cast<std::size_t>(bytes) / sizeof(std::uint32_t); }

inline long rounds_of(const Arguments& arguments, long bytes) {
  if (arguments.rounds > 0) return arguments.rounds;
  return bytes > 50'000'000 ? 5 : bytes > 5'000'000 ? 21 : bytes > 500'000 ? 101 : 501;
}

inline void read(const Words& words, std::uint32_t first) {
  const std::uint64_t sum = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
  if (sum == first + std::uint64_t{kWord} * (words.size() - 1)) return;
  std::fprintf(stderr, "the received message differs from the sent message\n");
  std::exit(1);
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Sends messages back and forth through `end`. The first end prints the median of one direction.
template <class End>
void play(End& end, const char* transport, long bytes, long rounds, bool first) {
  Words words(words_of(bytes), kWord);
  std::vector<double> seconds;
  for (long round = 0; round <= rounds; ++round) {  // the first round touches all pages and opens the connections
    words[0] = static_cast<std::uint32_t>(round);
    const double start = now();
    if (first) end.send(words);
    read(end.receive(), words[0]);
    if (!first) end.send(words);
    if (round > 0) seconds.push_back((now() - start) / 2);
  }
  if (!first) return;
  std::sort(seconds.begin(), seconds.end());
  std::printf("{\"transport\": \"%s\", \"bytes\": %ld, \"rounds\": %ld, \"seconds\": %.9f}\n", transport, bytes, rounds,
              seconds[seconds.size() / 2]);
  std::fflush(stdout);
}
