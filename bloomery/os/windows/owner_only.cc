// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/windows/owner_only.h"

// Stands after windows.h, whose types it uses.
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

bool is_administration(PSID who) noexcept {
  return IsWellKnownSid(who, WinLocalSystemSid) != 0 ||
         IsWellKnownSid(who, WinBuiltinAdministratorsSid) != 0;
}

bool allows_owner_alone(ACL& list, PSID owner) noexcept {
  for (DWORD i = 0; i < list.AceCount; ++i) {
    void* entry = nullptr;
    if (GetAce(&list, i, &entry) == 0) return false;
    const auto type = static_cast<const ACE_HEADER*>(entry)->AceType;
    if (type == ACCESS_DENIED_ACE_TYPE) continue;
    if (type != ACCESS_ALLOWED_ACE_TYPE) return false;
    PSID const who = &static_cast<ACCESS_ALLOWED_ACE*>(entry)->SidStart;
    if (EqualSid(who, owner) == 0 && !is_administration(who)) return false;
  }
  return true;
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
  const bool done = SetKernelObjectSecurity(file, DACL_SECURITY_INFORMATION, &descriptor_) != 0;
  return done ? 0 : error_number(GetLastError());
}

bool is_restricted(HANDLE file) noexcept {
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR found = nullptr;
  if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                      &owner, nullptr, &list, nullptr, &found) != ERROR_SUCCESS) {
    return false;
  }
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  const bool is_protected = GetSecurityDescriptorControl(found, &control, &revision) != 0 &&
                            (control & SE_DACL_PROTECTED) != 0;
  const bool restricted = is_protected || (list != nullptr && allows_owner_alone(*list, owner));
  LocalFree(found);
  return restricted;
}

}  // namespace bloomery::os
