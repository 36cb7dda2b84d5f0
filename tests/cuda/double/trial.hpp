#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <string>
#include <vector>

#include "cuda/double/double.hpp"

namespace troupe::cuda_double {

using Floats = std::vector<float>;

inline Floats random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline void* new_block(std::size_t bytes) {
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, bytes) == cudaSuccess);
  return block;
}

inline float* new_floats(std::size_t count) { return static_cast<float*>(new_block(count * sizeof(float))); }

inline float* new_pinned(std::size_t count) {
  void* start = nullptr;
  REQUIRE(cudaMallocHost(&start, count * sizeof(float)) == cudaSuccess);
  return static_cast<float*>(start);
}

inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  return stream;
}

inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
  return event;
}

inline bool complained(const std::string& text) {
  for (const std::string& complaint : complaints())
    if (complaint.find(text) != std::string::npos) return true;
  return false;
}

/// Runs `body` in a child. Returns the child's status from waitpid.
template <class Body>
int status_of(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);  // where sanitizers report
    body();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

template <class Body>
bool dies(const Body& body) {
  return status_of(body) != 0;
}

/// Runs `body` in a child. Returns the signal that ended the child, or 0.
template <class Body>
int signal_of(const Body& body) {
  const int status = status_of([&] {
    std::signal(SIGSEGV, SIG_DFL);
    body();
  });
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace troupe::cuda_double
