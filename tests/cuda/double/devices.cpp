#include <cstdio>
#include <cstring>
#include <string>

#include "cuda/double/state.hpp"

namespace troupe::cuda_double {

namespace {

/// Returns the PCI bus of a device. The order differs from that of the device numbers, which on a real machine begin
/// with the fastest device.
int bus_of(int device) { return state().settings.devices - device; }

bool exists(int device) { return device >= 0 && device < state().settings.devices; }

cudaError_t set_device(int device) {
  if (!exists(device)) return complain(cudaErrorInvalidDevice, "device " + std::to_string(device));
  this_thread().device = device;
  return cudaSuccess;
}

cudaError_t fill_properties(cudaDeviceProp* properties, int device) {
  if (!exists(device)) return cudaErrorInvalidDevice;
  *properties = {};
  const std::string name = state().settings.names_differ ? "Double " + std::to_string(device) : "Double";
  std::snprintf(properties->name, sizeof properties->name, "%s", name.c_str());
  properties->uuid.bytes[0] = static_cast<char>(device + 1);
  properties->totalGlobalMem = state().settings.bytes_per_device;
  properties->major = state().settings.compute_major;
  properties->minor = state().settings.compute_minor;
  properties->sharedMemPerBlock = 48 << 10;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->multiProcessorCount = 132;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->unifiedAddressing = properties->concurrentKernels = 1;
  properties->asyncEngineCount = 3;
  properties->pciBusID = bus_of(device);
  return cudaSuccess;
}

cudaError_t fill_bus_id(char* text, int length, int device) {
  if (!exists(device)) return cudaErrorInvalidDevice;
  const int needed = std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", bus_of(device));
  return needed < length ? cudaSuccess : complain(cudaErrorInvalidValue, "no room for the bus id");
}

cudaError_t attribute(int* value, cudaDeviceAttr what, int device) {
  cudaDeviceProp properties;
  if (const cudaError_t error = fill_properties(&properties, device); error != cudaSuccess) return error;
  switch (what) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = properties.maxGridSize[0];
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrPciBusId:
      *value = properties.pciBusID;
      break;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      *value = 1;
      break;
    case cudaDevAttrHostRegisterReadOnlySupported:
      *value = state().settings.locks_read_only ? 1 : 0;
      break;
    default:
      return complain(cudaErrorInvalidValue, "an attribute that the double does not support");
  }
  return cudaSuccess;
}

const char* name_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorHostMemoryAlreadyRegistered:
      return "cudaErrorHostMemoryAlreadyRegistered";
    case cudaErrorHostMemoryNotRegistered:
      return "cudaErrorHostMemoryNotRegistered";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorLaunchTimeout:
      return "cudaErrorLaunchTimeout";
    case cudaErrorNotPermitted:
      return "cudaErrorNotPermitted";
    default:
      return "an error of the double";
  }
}

const char* text_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorHostMemoryAlreadyRegistered:
      return "part or all of the requested memory range is already mapped";
    case cudaErrorHostMemoryNotRegistered:
      return "pointer does not correspond to a registered memory region";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorLaunchTimeout:
      return "the launch timed out and was terminated";
    case cudaErrorNotPermitted:
      return "operation not permitted";
    default:
      return "unrecognized error code";
  }
}

/// Returns the last error of the thread. A sticky error is the last error of every thread.
cudaError_t last_error(bool forget) {
  if (this_thread().working) {
    complain_about_nesting("cudaGetLastError");
    return cudaErrorNotPermitted;
  }
  const std::scoped_lock lock(state().mutex);
  if (state().sticky != cudaSuccess) return state().sticky;
  const cudaError_t error = this_thread().last_error;
  if (forget) this_thread().last_error = cudaSuccess;
  return error;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return cuda_call("cudaGetDeviceCount", [&] {
    *count = state().settings.devices;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return cuda_call("cudaSetDevice", [&] { return set_device(device); });
}

cudaError_t cudaGetDevice(int* device) {
  return cuda_call("cudaGetDevice", [&] {
    *device = this_thread().device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return cuda_call("cudaGetDeviceProperties", [&] { return fill_properties(properties, device); });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return cuda_call("cudaDeviceGetPCIBusId", [&] { return fill_bus_id(text, length, device); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  return cuda_call("cudaDeviceGetAttribute", [&] { return attribute(value, what, device); });
}

// The versions are available without a device. 0 means that there is no driver.
cudaError_t cudaDriverGetVersion(int* version) {
  const Settings& settings = state().settings;
  *version = settings.no_driver ? 0 : settings.old_driver ? 11040 : CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return last_error(true); }
cudaError_t cudaPeekAtLastError() { return last_error(false); }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error); }
const char* cudaGetErrorName(cudaError_t error) { return name_of(error); }
}
