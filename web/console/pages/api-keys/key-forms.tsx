// The forms that create and edit an API key.

import type { ReactNode } from 'react';
import {
  CreateApiKeyDocument,
  UpdateApiKeyDocument,
  type ApiKeyRowFragment,
  type CreateApiKeyMutation,
  type Permission,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Checks } from '../../components/forms/checks.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { TextArea } from '../../components/forms/text-area.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { KEY_PERMISSIONS } from '../../permission-names.ts';

export type CreatedKey = CreateApiKeyMutation['createApiKey'];

/** The input for creating or changing a key. */
const inputOf = (data: FormData) => ({
  name: textOf(data, 'name'),
  permissions: data.getAll('permissions') as Permission[],
  ipWhitelist: textOf(data, 'ipWhitelist')
    .split(/[\s,]+/)
    .filter(Boolean),
});

function KeyFields({ apiKey }: { readonly apiKey?: ApiKeyRowFragment }): ReactNode {
  return (
    <>
      <Field
        label="Name"
        name="name"
        hint="Where the key is used, such as “Web shop”."
        defaultValue={apiKey?.name ?? ''}
        maxLength={100}
        isRequired
        autoFocus
      />
      <Checks
        label="Permissions"
        name="permissions"
        options={KEY_PERMISSIONS}
        defaultValue={apiKey?.permissions ?? ['READ_PAYMENTS', 'CREATE_PAYMENTS']}
        isRequired
      />
      <TextArea
        label="Allowed IP addresses"
        name="ipWhitelist"
        hint="IPv4 addresses or ranges such as 203.0.113.0/24, one per line. Leave empty to allow any."
        defaultValue={apiKey?.ipWhitelist.join('\n') ?? ''}
      />
    </>
  );
}

interface NewKeyProps {
  readonly onCancel: () => void;
  readonly onMade: (key: CreatedKey) => void;
}

export function NewKey({ onCancel, onMade }: NewKeyProps): ReactNode {
  const [, create] = useConfirmedMutation(CreateApiKeyDocument);
  return (
    <OperationForm
      action="Create the key"
      onCancel={onCancel}
      onSubmit={async (data) => {
        const outcome = await create({ input: inputOf(data) });
        if (outcome.data) onMade(outcome.data.createApiKey);
        return outcome;
      }}
    >
      <KeyFields />
    </OperationForm>
  );
}

interface ChangeKeyProps {
  readonly apiKey: ApiKeyRowFragment;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function ChangeKey({ apiKey, onClose, onChanged }: ChangeKeyProps): ReactNode {
  const [, update] = useConfirmedMutation(UpdateApiKeyDocument);
  return (
    <OperationForm
      action="Save"
      onCancel={onClose}
      onSubmit={async (data) => {
        const outcome = await update({ keyId: apiKey.keyId, input: inputOf(data) });
        if (outcome.data) {
          onClose();
          onChanged();
          announce('The key is changed');
        }
        return outcome;
      }}
    >
      <p className="hint">Changes take effect within a second, including for calls in progress.</p>
      <KeyFields apiKey={apiKey} />
    </OperationForm>
  );
}
