// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/windows/owner_only.h"

// After windows.h, whose types it uses.
#include <aclapi.h>

namespace bloomery::os {
namespace {

// Puts the user that this process runs as into `user`, a TOKEN_USER.
bool find_user(void* user, DWORD size) noexcept {
  HANDLE token = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return false;
  const Handle owned(token);
  return GetTokenInformation(token, TokenUser, user, size, &size) != 0;
}

bool add_group(ACL* list, WELL_KNOWN_SID_TYPE group) noexcept {
  alignas(void*) unsigned char sid[SECURITY_MAX_SID_SIZE];
  DWORD size = sizeof sid;
  return CreateWellKnownSid(group, nullptr, sid, &size) != 0 &&
         AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS, sid) != 0;
}

}  // namespace

OwnerOnly::OwnerOnly() noexcept {
  auto* const list = reinterpret_cast<ACL*>(list_);
  is_made_ = find_user(user_, sizeof user_) &&
             InitializeAcl(list, sizeof list_, ACL_REVISION) != 0 &&
             AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS,
                                 reinterpret_cast<const TOKEN_USER*>(user_)->User.Sid) != 0 &&
             add_group(list, WinLocalSystemSid) && add_group(list, WinBuiltinAdministratorsSid) &&
             InitializeSecurityDescriptor(&descriptor_, SECURITY_DESCRIPTOR_REVISION) != 0 &&
             SetSecurityDescriptorDacl(&descriptor_, TRUE, list, FALSE) != 0 &&
             SetSecurityDescriptorControl(&descriptor_, SE_DACL_PROTECTED, SE_DACL_PROTECTED) != 0;
  if (!is_made_) tell_last_error();
}

SECURITY_ATTRIBUTES OwnerOnly::attributes() noexcept {
  return {sizeof(SECURITY_ATTRIBUTES), &descriptor_, FALSE};
}

int OwnerOnly::give_to(HANDLE file) noexcept {
  const DWORD error = SetSecurityInfo(
      file, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
      nullptr, nullptr, reinterpret_cast<ACL*>(list_), nullptr);
  return error == ERROR_SUCCESS ? 0 : error_number(error);
}

bool is_restricted(HANDLE file) noexcept {
  PSECURITY_DESCRIPTOR found = nullptr;
  if (GetSecurityInfo(file, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, nullptr,
                      nullptr, &found) != ERROR_SUCCESS) {
    return false;
  }
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  const bool is_protected = GetSecurityDescriptorControl(found, &control, &revision) != 0 &&
                            (control & SE_DACL_PROTECTED) != 0;
  LocalFree(found);
  return is_protected;
}

}  // namespace bloomery::os
